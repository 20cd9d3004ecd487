"""Settings of recognition."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class AsrConfig(BaseModel):
    """Whisper on CTranslate2, on a window as long as the utterance."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str = Field(
        "whisper-base", min_length=1, description="model: a name from `models list`, or a folder"
    )
    compute_type: Literal["int8", "int8_float32", "float32"] = Field(
        "int8", description="arithmetic of the model"
    )
    threads: int = Field(2, ge=1, le=64, description="threads of one reading")
    margin_s: float = Field(
        1.0,
        ge=0.0,
        le=10.0,
        description="seconds of silence read after the utterance: fewer repeat the last words, more cost time",
    )
    language: str = Field(
        "en", min_length=2, max_length=8, description="language of the caller, as Whisper names it"
    )
