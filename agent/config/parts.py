"""Settings of the agent itself: cores, replay, paths."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class ComputeConfig(BaseModel):
    """The cores that model work may use, and how it shares them with audio."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    cores: Annotated[int, Field(ge=1, le=1024)] | Literal["auto"] = Field(
        "auto", description="cores for model work; auto takes those that this process may use"
    )
    nice: int = Field(5, ge=0, le=19, description="how far model threads stand behind playback (Linux)")
    switch_interval_ms: float = Field(
        1.0, ge=0.1, le=100.0, description="longest time that one Python thread keeps the others waiting"
    )


class ReplayConfig(BaseModel):
    """How a recorded call is fed and judged."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    frame_ms: int = Field(20, ge=10, le=100, description="audio in one frame")
    max_gap_s: float = Field(
        4.0, ge=1.0, le=3600.0, description="longer silences of the caller are cut to this"
    )
    tail_s: float = Field(
        3.0, ge=0.5, le=60.0, description="longest silence fed after the recording, for the last turn"
    )
    device_latency_ms: float = Field(
        20.0, ge=0.0, le=500.0, description="output buffering of the sound card played"
    )
    missed_after_ms: float = Field(
        2000.0, ge=500.0, le=30_000.0, description="wait after which a turn counts as missed"
    )
    damaging_overlap_ms: float = Field(
        150.0, ge=0.0, le=5000.0, description="overlap with the caller from which a cut-in counts as damaging"
    )


class PathsConfig(BaseModel):
    """Where things are kept."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    models: Path | None = Field(None, description="folder of the models; null takes the user's cache folder")
    out: Path = Field(Path("out"), description="folder under which reports and recordings are written")
