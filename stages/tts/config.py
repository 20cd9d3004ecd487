"""Settings of speech synthesis."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class PieceConfig(BaseModel):
    """How streamed text is cut into pieces that are spoken one by one."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    first_words: int = Field(
        4, ge=1, le=50, description="words after which the first piece is cut if no comma or full stop came"
    )
    growth: float = Field(
        2.5,
        ge=1.0,
        le=10.0,
        description="how much longer than the piece before a piece may be, so that it is ready before that one ends",
    )
    min_chars: int = Field(30, ge=5, le=200, description="length that a later piece may always have")
    max_chars: int = Field(240, ge=40, le=1000, description="length at which a piece is cut in any case")


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
    level_dbfs: float = Field(
        -20.0, ge=-60.0, le=-6.0, description="loudness of every piece, as the RMS of its audible part"
    )
    speed: float = Field(1.0, ge=0.5, le=2.0, description="1 is the voice's own pace, 2 twice as fast")
    max_chars: int = Field(1000, ge=40, le=10000, description="longest text that is spoken in one go")
    pieces: PieceConfig = Field(PieceConfig(), description="how streamed text is cut")
