"""What is wrong with a configuration: each problem with its place, all of them in one error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agent.errors import AgentError


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake: where it stands (``file:line`` or ``--set``), the line to sort by, and the way out."""

    where: str
    line: int
    text: str
    hint: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.text}"


def error_of(problems: Sequence[Problem], name: str) -> AgentError:
    """Make one error of all ``problems`` of the thing called ``name``, in the order of their lines."""
    ordered = sorted(problems, key=lambda problem: problem.line)
    hint = next((problem.hint for problem in ordered if problem.hint), "")
    if len(ordered) == 1:
        return AgentError("config.invalid", str(ordered[0]), hint)
    lines = "\n".join(f"  {problem}" for problem in ordered)
    return AgentError("config.invalid", f"{name} has {len(ordered)} mistakes:\n{lines}", hint)
