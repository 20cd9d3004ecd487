"""The council's task set: questions of callers, and what a right answer must hold."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from agent.config.load import CONFIGS
from agent.config.strict import load_model
from agent.errors import AgentError
from agent.persona import Persona
from stages.contract import Message

Half = Literal["dev", "test"]
Kind = Literal["plain", "short", "misheard", "followup", "unknown", "outside"]
Words = Annotated[str, StringConstraints(min_length=1, max_length=200, strip_whitespace=True)]
TASKS = CONFIGS / "tasks"


class Task(BaseModel):
    """One question and what its answer must and must not hold; see ``configs/tasks/bank.yaml``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(pattern=r"^[a-z]+-[dt]\d\d$", description="domain, half and number")
    kind: Kind = Field(description="how it is asked, or why it cannot be answered")
    ask: Words = Field(description="the caller's words as the recogniser gave them")
    history: tuple[Words, ...] = Field((), description="what was said before, the caller first, in turns")
    holds: tuple[Words | tuple[Words, ...], ...] = Field(
        (), description="all of these must be said; a list is a choice"
    )
    avoids: tuple[Words, ...] = Field((), description="none of these may be said")
    declines: bool = Field(False, description="the facts do not answer: the reply must say so")

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if bool(self.holds) == self.declines:
            raise ValueError(f"{self.id}: say either what the answer holds, or that it declines")
        if self.declines != (self.kind in ("unknown", "outside")):
            raise ValueError(f"{self.id}: unknown and outside questions are declined, and no others")
        if len(self.history) % 2 or bool(self.history) < (self.kind == "followup"):
            raise ValueError(f"{self.id}: history is pairs of lines, the caller's first")
        return self

    def messages(self) -> list[Message]:
        """The conversation before the question."""
        roles: tuple[Literal["user", "assistant"], ...] = ("user", "assistant")
        return [{"role": roles[at % 2], "content": line} for at, line in enumerate(self.history)]


class TaskSet(BaseModel):
    """The questions of one domain, in two fixed halves."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    persona: str = Field(min_length=1, description="who answers: a name from configs/personas")
    development: tuple[Task, ...] = Field(min_length=30, description="prompts are tuned on these")
    test: tuple[Task, ...] = Field(min_length=30, description="never looked at while tuning")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        for mark, half in (("d", self.development), ("t", self.test)):
            for number, task in enumerate(half, start=1):
                if not task.id.endswith(f"-{mark}{number:02}"):
                    raise ValueError(f"{task.id} should be number {number} of its half, {mark}{number:02}")
        asked = [(task.history, task.ask.lower()) for task in self.development + self.test]
        if len(set(asked)) < len(asked):
            raise ValueError("a question stands twice")
        return self

    def half(self, half: Half) -> tuple[Task, ...]:
        """The questions of one half, in the file's order."""
        return self.development if half == "dev" else self.test


def domains() -> list[str]:
    """Names of the task sets that ship."""
    return sorted(path.stem for path in TASKS.glob("*.yaml"))


def load_tasks(domain: str) -> tuple[TaskSet, Persona]:
    """The task set of ``domain`` and who answers. Raises AgentError for an unknown name or a mistake in a file."""
    path = TASKS / f"{domain}.yaml"
    if not path.is_file():
        raise AgentError(
            "bench.domain", f"There is no task set {domain!r}.", f"Shipped: {', '.join(domains())}."
        )
    tasks = load_model(path, TaskSet)
    return tasks, load_model(persona_path(tasks.persona), Persona)


def persona_path(name: str) -> Path:
    """Where the persona ``name`` lies."""
    return CONFIGS / "personas" / f"{name}.yaml"
