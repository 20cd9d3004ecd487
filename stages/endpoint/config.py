"""Settings of voice activity and turn end."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field


class VadConfig(BaseModel):
    """Silero voice activity."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model_path: Path | None = Field(None, description="silero_vad.onnx; null takes the one inside pipecat-ai")
    reset_after_s: float = Field(
        2.0,
        ge=0.0,
        le=60.0,
        description="seconds of audio after which the model's state is cleared in the next clear silence, "
        "since music and long silence make it deaf to the speech that follows; 0 never clears it",
    )
    reset_quiet_windows: int = Field(
        10, ge=1, le=100, description="windows of 32 ms in a row that make a silence clear enough for that"
    )
    reset_below: float = Field(0.1, ge=0.0, le=1.0, description="probability below which a window is quiet")


class SmartTurnConfig(BaseModel):
    """smart-turn v3.2."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model_path: Path | None = Field(
        None, description="smart-turn-v3.2-cpu.onnx; null takes the one inside pipecat-ai"
    )
    threads: int = Field(1, ge=1, le=64, description="threads of one prediction")
