"""Settings of the council: who is asked on the accurate path, and how."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class CouncilSeatConfig(BaseModel):
    """One or several seats on one member."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    member: str = Field("fast", pattern=r"^[a-z][a-z0-9_]*$", description="whose weights: a name from seats")
    does: Literal["write", "score"] = Field(
        "score",
        description="write makes own replies; score weighs the best facts and the safe sentence, which costs one read",
    )
    count: int = Field(3, ge=1, le=16, description="replies written, or facts scored")
    facts: int | None = Field(
        None, ge=0, le=20, description="facts put before the question; null: as many as the persona says"
    )
    max_tokens: int = Field(48, ge=1, le=2048, description="longest written reply, in tokens")
    temperature: float = Field(
        0.7, ge=0.0, le=2.0, description="of all written replies but the first, which takes the likeliest"
    )
    min_p: float = Field(
        0.1, ge=0.0, le=1.0, description="tokens less likely than this share of the likeliest are left out"
    )


class CouncilConfig(BaseModel):
    """The council. Each seat costs sequences of its member."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    seats: tuple[CouncilSeatConfig, ...] = Field(
        (CouncilSeatConfig(facts=3),), max_length=16, description="who is asked; empty: there is no council"
    )
