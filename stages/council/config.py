"""Settings of a language-model seat."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator


class SeatConfig(BaseModel):
    """One model on llama.cpp, with all its sequences."""

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
    sequences: int = Field(
        6, ge=1, le=64, description="replies of this model at the same time: the fast one, and the council's"
    )
    mlock: bool = Field(
        False,
        description="lock the mapped weights in memory, where the system allows it; they are then kept twice",
    )
    server: str | None = Field(
        None, description="engine remote: address of an OpenAI-compatible server, as http://localhost:8080/v1"
    )
    server_key_env: str | None = Field(
        None, description="environment variable that holds the server's key; null sends none"
    )
    server_timeout_s: float = Field(
        10.0, gt=0.0, le=600.0, description="silence of the server after which its reply is given up"
    )
    seed: int = Field(0, ge=0, description="seed of the sampling at temperatures above 0")

    @model_validator(mode="after")
    def _leaves_room(self) -> Self:
        if self.reply_tokens > self.n_ctx // 2:
            raise ValueError(
                f"reply_tokens ({self.reply_tokens}) may be at most half of n_ctx ({self.n_ctx})"
            )
        if self.sequences > self.batch_tokens:
            raise ValueError(
                f"sequences ({self.sequences}) may be at most batch_tokens ({self.batch_tokens}): one token each"
            )
        return self

    @property
    def prompt_tokens(self) -> int:
        """Longest prompt."""
        return self.n_ctx - self.reply_tokens

    @property
    def cells(self) -> int:
        """Tokens that the cache holds: one context, and room for the replies of the other sequences."""
        return self.n_ctx + (self.sequences - 1) * self.reply_tokens
