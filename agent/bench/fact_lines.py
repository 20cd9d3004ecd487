"""What the fit of facts is learned from and judged by: lines of callers, each with the facts that answer it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from agent.bench.council_check import check
from agent.bench.council_tasks import Half, Task, domains, load_tasks
from agent.config.strict import load_model
from agent.errors import AgentError
from agent.persona import Persona

LINES = Path(__file__).parent / "data" / "fact_lines.yaml"


@dataclass(frozen=True, slots=True)
class Case:
    """One line to one persona; ``right`` are the places of the facts that answer it. ``group``: learned as one."""

    persona: Persona
    group: str
    ask: str
    before: tuple[str, ...]
    right: frozenset[int]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class AskLine(_Strict):
    """One line for one persona."""

    ask: str = Field(min_length=1, description="what the caller says")
    before: tuple[str, ...] = Field((), max_length=2, description="caller's last line and its answer")
    fact: str | None = Field(None, min_length=2, description="words of the one fact that answers")


class FactLines(_Strict):
    """The file of lines."""

    nothing: tuple[str, ...] = Field(min_length=1, description="no fact of any persona answers these")
    bank: tuple[AskLine, ...] = Field(description="lines for the bank")
    garage: tuple[AskLine, ...] = Field(description="lines for the garage")
    shop: tuple[AskLine, ...] = Field(description="lines for the shop")

    def of(self, domain: str) -> tuple[AskLine, ...]:
        """The lines of one domain; none for a domain that the file does not know."""
        found: tuple[AskLine, ...] = getattr(self, domain, ())
        return found


def task_cases(half: Half) -> list[Case]:
    """The questions of one half of all task sets."""
    return [
        _of_task(task, persona)
        for domain in domains()
        for tasks, persona in [load_tasks(domain)]
        for task in tasks.half(half)
    ]


def foreign_cases(half: Half, told_apart: frozenset[str]) -> list[Case]:
    """Each persona is asked the questions of the others: nothing to answer.

    Questions with one of the words ``told_apart`` are left out: any persona has an answer to "where are you".
    """
    sets = {domain: load_tasks(domain) for domain in domains()}
    return [
        Case(persona, task.id, task.ask, (), frozenset())
        for domain, (_, persona) in sets.items()
        for other, (tasks, _) in sets.items()
        for task in tasks.half(half)
        if other != domain and not task.history and not told_apart & set(task.ask.lower().strip("?.").split())
    ]


def written_cases(path: Path = LINES) -> list[Case]:
    """The lines that were written for this. Raises AgentError for a ``fact`` that names none or several."""
    lines = load_model(path, FactLines)
    cases = []
    for domain in domains():
        persona = load_tasks(domain)[1]
        for number, text in enumerate(lines.nothing):
            cases.append(Case(persona, f"nothing-{number}", text, (), frozenset()))
        for number, line in enumerate(lines.of(domain)):
            right = _named(line, persona, path)
            cases.append(Case(persona, f"{domain}-{number}", line.ask, line.before, right))
    return cases


def _of_task(task: Task, persona: Persona) -> Case:
    right = [
        at for at, fact in enumerate(persona.facts) if not task.declines and check(task, persona, fact).right
    ]
    return Case(persona, task.id, task.ask, task.history[-2:], frozenset(right))


def _named(line: AskLine, persona: Persona, path: Path) -> frozenset[int]:
    if line.fact is None:
        return frozenset()
    found = [at for at, fact in enumerate(persona.facts) if line.fact in fact]
    if len(found) != 1:
        raise AgentError(
            "bench.facts",
            f"{path.name}: {line.fact!r} stands in {len(found)} facts of {persona.name}.",
            "Name words of exactly one fact.",
        )
    return frozenset(found)
