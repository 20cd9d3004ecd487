"""Settings of a language-model seat."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class SeatConfig(BaseModel):
    """One model on llama.cpp, and how it answers."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str = Field(
        "qwen2.5-coder-0.5b", min_length=1, description="model: a name from `models list`, or a .gguf file"
    )
    max_tokens: int = Field(48, ge=1, le=2048, description="longest reply, in tokens")
    temperature: float = Field(0.0, ge=0.0, le=2.0, description="0 takes the likeliest token each time")
    threads: int = Field(2, ge=1, le=64, description="threads of one decode")
    n_ctx: int = Field(2048, ge=256, le=131072, description="context in tokens: prompt, history and reply")
