"""Settings of a language-model seat."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator


class SeatConfig(BaseModel):
    """One model on llama.cpp."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    # On two quiet cores a second thread brings the first token from 73 to 42 ms (0.5B Q4_0); with both cores busy it
    # spins at llama.cpp's barriers instead, and a token takes seconds. OMP_WAIT_POLICY=passive prevents that.
    threads: int = Field(
        1, ge=1, le=64, description="threads of one decode; fewer than the cores, or other work stalls it"
    )
    n_ctx: int = Field(2048, ge=256, le=131072, description="context in tokens: prompt, history and reply")
    reply_tokens: int = Field(
        256, ge=16, le=8192, description="tokens of the context that the prompt leaves free for the reply"
    )
    batch_tokens: int = Field(
        256,
        ge=8,
        le=4096,
        description="tokens of the prompt that are read in one step; aborts work inside it",
    )
    use_extra_bufts: bool = Field(
        True,
        description="repack weights for this CPU; false is slower, and safe where a build crashes on AMX",
    )
    seed: int = Field(0, ge=0, description="seed of the sampling at temperatures above 0")

    @model_validator(mode="after")
    def _leaves_room(self) -> Self:
        if self.reply_tokens > self.n_ctx // 2:
            raise ValueError(
                f"reply_tokens ({self.reply_tokens}) may be at most half of n_ctx ({self.n_ctx})"
            )
        return self
