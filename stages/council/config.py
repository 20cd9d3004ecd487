"""Settings of a language-model seat."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class SeatConfig(BaseModel):
    """One model on llama.cpp."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    threads: int = Field(2, ge=1, le=64, description="threads of one decode")
    n_ctx: int = Field(2048, ge=256, le=131072, description="context in tokens: prompt, history and reply")
