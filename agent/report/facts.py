"""Sections of the report on the run itself: machine, configuration, calls, failures."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

SpeechEndSource = Literal["labels", "offline_vad", "live"]
ReplayMode = Literal["recorded", "live"]


class Section(BaseModel):
    """A part of the report: strict and frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True, serialize_by_alias=True)


class Machine(Section):
    """The hardware and software that a run took place on. Nothing here names the host or its user."""

    cpu: str = Field(description="the processor's own name")
    arch: str
    cores: int = Field(ge=1, description="logical cores that the process may use")
    memory_gb: float | None = Field(description="memory in GiB, null where it cannot be read")
    os: str
    python: str
    libraries: dict[str, str] = Field(description="versions of the libraries that do the work")


class ModelFacts(Section):
    """A model that was loaded, and what it was loaded for."""

    use: str = Field(description="voice activity, turn end, recognition, a seat, voice")
    name: str
    files: dict[str, str] = Field(description="its files' SHA-256")


class ConfigFacts(Section):
    """Which configuration ran."""

    path: str
    sha256: str
    budget_ms: float
    content_budget_ms: float | None = None


class ReplayFacts(Section):
    """How the callers were fed."""

    mode: ReplayMode = Field(description="recorded: a recording in real time; live: a microphone")
    max_gap_s: float | None = Field(description="longer gaps were cut to this; null: none was cut")
    jobs: int = Field(1, ge=1, description="calls replayed at once; above 1 they slow each other down")


class Lateness(Section):
    """How late audio frames were pushed against their schedule, in ms."""

    count: int
    p50: float | None
    p99: float | None
    max: float | None


class Call(Section):
    """One call of the run."""

    call: str
    seconds: float
    speech_end_source: SpeechEndSource
    synthetic: bool = Field(description="made by a voice synthesiser, not spoken by people")
    labelled_turns: int = Field(ge=0, description="caller turns that went in; as many came out as rows")
    skipped_s: float = Field(0.0, description="audio that gap skipping left out")
    lateness_ms: Lateness
    recording: str | None = Field(
        None, description="both voices as they were heard, a file beside the report: caller left, agent right"
    )


class Failure(Section):
    """Something went wrong and the run went on."""

    call: str
    turn: int | None
    code: str
    message: str


class ObserverReading(Section):
    """A latency as pipecat's own observer measured it, for cross-checking."""

    call: str
    at_ms: float
    latency_ms: float
