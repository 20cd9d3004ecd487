"""What a comparison runs: every agent on every call, again and again, in turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.bench.peer_systems import System
from agent.calls.load import LoadedCall, load_call
from agent.errors import AgentError
from agent.replay.plan import ReplayPlan, plan
from agent.replay.sources import file_name
from stages.contract import RATE_HZ


@dataclass(frozen=True)
class Subject:
    """A call that all agents are given: its file, what it says, and what of it is fed."""

    path: Path
    call: LoadedCall
    planned: ReplayPlan

    @property
    def seconds(self) -> float:
        """Length of what is fed."""
        return len(self.planned.caller) / RATE_HZ


@dataclass(frozen=True)
class Step:
    """One agent on one call."""

    system: System
    subject: Subject
    round: int

    @property
    def folder(self) -> str:
        """Name of the run's folder."""
        return f"{self.round}-{file_name(self.subject.planned.name)}-{self.system.name}"


def subjects(paths: Sequence[Path], channel: int | None, max_gap_s: float | None) -> list[Subject]:
    """The calls, all read before the first is run.

    Raises:
        InputError: one is no call, or nobody speaks in it.
        AgentError: two have the same name.
    """
    found: dict[str, Subject] = {}
    for path in paths:
        call = load_call(path, channel)
        planned = plan(call, max_gap_s)
        if planned.name in found:
            raise AgentError(
                "bench.same_name",
                f"two calls are called {planned.name!r}.",
                "Rename one (`name` in its file).",
            )
        found[planned.name] = Subject(path, call, planned)
    return list(found.values())


def steps(systems: Sequence[System], calls: Sequence[Subject], rounds: int) -> Iterator[Step]:
    """All runs, the agents alternating. Each round of a call begins with another agent: none is always first."""
    shift = 0
    for number in range(1, rounds + 1):
        for subject in calls:
            for index in range(len(systems)):
                yield Step(systems[(index + shift) % len(systems)], subject, number)
            shift += 1
