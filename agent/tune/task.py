"""What is to be tuned, and who is told how far that has come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from agent.config.load import Loaded, load
from agent.replay.one import Watcher
from agent.tune.knobs import overrides
from agent.tune.result import Point


class TuneWatcher(Watcher, Protocol):
    """Who is told how far the search has come."""

    def stage(self, title: str, total: int) -> None:
        """A stage of so many steps begins."""

    def step(self, point: Point | None) -> None:
        """A step is done, with what it found."""


@dataclass(frozen=True)
class Call:
    """A call to tune on."""

    path: Path
    name: str
    seconds: float


@dataclass(frozen=True)
class Task:
    """What to tune. ``sets``: overrides that hold throughout. ``cut_ins``: the accepted share of turns."""

    calls: Sequence[Path]
    config: Path | None
    sets: Sequence[str]
    cut_ins: float
    trials: int
    out: Path

    def load(self, settings: Mapping[str, Any]) -> Loaded:
        """The configuration with ``settings`` in place. Raises AgentError."""
        return load(self.config, [*self.sets, *overrides(settings)])
