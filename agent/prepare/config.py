"""Settings of what is prepared."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field


class PrepareConfig(BaseModel):
    """What is made ready before it is needed."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    phrases: bool = Field(
        True, description="speak the fixed sentences and the beginnings of the facts into memory at the start"
    )
    manners: bool = Field(
        True, description="answer thanks, farewells, greetings and `say that again` at once, without a model"
    )
    facts: bool = Field(
        True, description="say a fact as it stands, without a model, where it is sure to be the answer"
    )
    facts_chance: float = Field(
        0.82,
        gt=0.0,
        le=1.0,
        description="probability from which a fact is sure to be the answer; `bench facts` measures it",
    )
    cache_mb: float = Field(
        64.0, ge=1.0, le=10_000.0, description="disk for spoken phrases; those used longest ago go first"
    )
    folder: Path | None = Field(
        None, description="where phrases and profiles are kept; null takes the user's cache folder"
    )
    replies: str | None = Field(
        None,
        min_length=1,
        description="likely replies: a name from configs/replies, or a .yaml file; null takes the persona's name, "
        "if there is such a file",
    )
    likely: bool = Field(
        False,
        description="say a likely reply without slots at once where it is sure to fit; off, since on the calls at hand "
        "it was not measured to fit in 97 of 100",
    )
    likely_chance: float = Field(
        0.8, gt=0.0, le=1.0, description="chance from which a likely reply is sure; `calls learn` measures it"
    )
    learn_profile: bool = Field(
        True, description="keep what each stage took on this machine for the predictions of later runs"
    )
