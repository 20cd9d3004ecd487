"""Settings of speech synthesis."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class TtsConfig(BaseModel):
    """piper, one speakable piece at a time."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    threads: int = Field(1, ge=1, le=64, description="threads of one piece")
    joint_ms: float = Field(
        80.0,
        ge=0.0,
        le=1000.0,
        description="silence kept behind a piece: piper leaves 160-260 ms, too long for a comma",
    )
