"""Likely replies of a persona, as their reviewable YAML file holds them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from agent.config.load import CONFIGS
from agent.config.strict import load_model
from agent.errors import AgentError
from stages.council.social import Manners

Line = Annotated[str, StringConstraints(min_length=1, max_length=240, strip_whitespace=True)]
SLOT = re.compile(r"\{([a-z_]+)\}")


class Template(BaseModel):
    """One reply that agents often give.

    ``after`` are what callers said before it, ``state`` what the agent had said before that (by template), as far as
    it matters; ``text`` may hold slots like ``{amount}``.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$", description="what it is called")
    text: Line = Field(description="what is said; {slot} stands for a value of this call")
    after: tuple[Line, ...] = Field((), description="what callers said just before, in plain words")
    state: tuple[str, ...] = Field(
        (), description="templates that the agent said last before that; none: any"
    )
    when: tuple[Manners, ...] = Field(
        (), description="manners that it answers: again, wait, farewell, thanks, greeting"
    )
    count: int = Field(0, ge=0, description="how often it was found")
    calls: int = Field(0, ge=0, description="in how many calls")

    @property
    def slots(self) -> tuple[str, ...]:
        """The names of its slots."""
        return tuple(SLOT.findall(self.text))


class ReplySet(BaseModel):
    """Everything that a persona can have ready."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    openers: tuple[Line, ...] = Field((), description="first words that replies often begin with")
    bridges: tuple[Line, ...] = Field((), description="phrases that cover a late answer")
    templates: tuple[Template, ...] = Field((), description="likely replies")

    @model_validator(mode="after")
    def _names(self) -> Self:
        names = [one.name for one in self.templates]
        if len(set(names)) != len(names):
            raise ValueError("two templates have the same name")
        if strange := {state for one in self.templates for state in one.state} - set(names):
            raise ValueError(f"state {min(strange)!r} is no template")
        return self


def find_replies(named: str | None, persona: str) -> ReplySet | None:
    """The replies that the configuration names: by name from configs/replies, or a file.

    Without a name the persona's own, if it has some. Raises AgentError for one that is named and is not there.
    """
    folder = CONFIGS / "replies"
    if named is None:
        own = folder / f"{Path(persona).stem}.yaml"
        return load_model(own, ReplySet) if own.is_file() else None
    path = Path(named) if named.endswith((".yaml", ".yml")) else folder / f"{named}.yaml"
    if not path.is_file():
        names = ", ".join(sorted(entry.stem for entry in folder.glob("*.yaml")))
        raise AgentError(
            "prepare.replies", f"prepare.replies: there is no {path}.", f"Shipped: {names}; or a .yaml file."
        )
    return load_model(path, ReplySet)
