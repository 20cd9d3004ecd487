"""One way of answering a turn, while it is under way."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from agent.controller.seats import CouncilPlan, SeatPlan, Writing
from latency_budget.exchange import Path

TAKES: dict[Path, int] = {"fast": 0, "accurate": 1, "cached": 2}
SAFE_TAKE = 3
"""Numbers of the takes in frames and records: one a path, and the safe sentence."""


@dataclass(slots=True)
class LiveWay:
    """A way that stands open, begun or not.

    Attributes:
        path: which.
        plan: the seat that writes it, or the council that is asked; None where its text is there.
        text: a sentence that is said as it stands.
        answers: it says something about what was asked.
        fit: the chance that ``text`` fits; None: as such replies were measured.
        asked: characters of the turn.
        count: pieces so far.
        writing: under way at its seat.
        task: carries it out.
    """

    path: Path
    plan: SeatPlan | CouncilPlan | None = None
    text: str = ""
    answers: bool = True
    fit: float | None = None
    asked: int = 0
    count: int = 0
    started: bool = False
    ready: bool = False
    done: bool = False
    failed: bool = False
    writing: Writing | None = None
    task: asyncio.Task[None] | None = None

    @property
    def take(self) -> int:
        """Its number in frames and records."""
        return TAKES[self.path]

    @property
    def cores(self) -> int:
        """How many of our cores it keeps busy while it is made."""
        return 0 if self.plan is None else self.plan.cores

    @property
    def busy(self) -> bool:
        """Whether it holds cores of ours."""
        return self.started and not self.done and self.cores > 0

    def stop(self) -> None:
        """It is no longer wanted."""
        self.failed = True
        if self.writing is not None:
            self.writing.job.abort()
        elif self.task is not None:
            self.task.cancel()  # ends the council's work
