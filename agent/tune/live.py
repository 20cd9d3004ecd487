"""Replays calls with some settings, and sums up what that brought."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from agent.config.load import Loaded
from agent.errors import AgentError
from agent.replay.one import Watcher
from agent.replay.replay import replay
from agent.replay.sources import from_paths
from agent.report.facts import Section
from agent.report.schema import Report, Turn
from agent.report.write import write_whole


class Figures(Section):
    """A replay in figures. Shares are of all its turns."""

    turns: int
    waited_ms: float = Field(description="mean V2V; a missed turn counts as replay.missed_after_ms")
    within: float = Field(description="turns answered within the budget")
    cut_ins: float
    missed: float
    quality: float | None = Field(description="mean expected share of right answers, of the paths taken")
    cpu: float | None = Field(description="CPU seconds a second of the call; null: not measured")


@dataclass(frozen=True)
class Replayed:
    """The whole report and its figures."""

    report: Report
    figures: Figures


def figures_of(report: Report, budget_ms: float, missed_ms: float, cpu: float | None) -> Figures | None:
    """The figures of ``report``; None if it holds no turn."""
    turns = report.turns
    if not turns:
        return None
    waits = [wait for turn in turns if (wait := _wait(turn, missed_ms)) is not None]
    rated = [rate for turn in turns if (rate := _quality(turn)) is not None]
    count = len(turns)
    return Figures(
        turns=count,
        waited_ms=round(sum(waits) / len(waits), 1) if waits else missed_ms,
        within=round(sum(_within(turn, budget_ms) for turn in turns) / count, 4),
        cut_ins=round(sum(turn.cut_in for turn in turns) / count, 4),
        missed=round(sum(turn.missed for turn in turns) / count, 4),
        quality=round(sum(rated) / len(rated), 4) if rated else None,
        cpu=None if cpu is None else round(cpu, 3),
    )


def _wait(turn: Turn, missed_ms: float) -> float | None:
    """None where a wait says nothing: the caller overtook the answer, or was cut into and got none after."""
    if turn.missed:
        return missed_ms
    return None if turn.overtaken or turn.v2v_ms is None else float(turn.v2v_ms)


def _within(turn: Turn, budget_ms: float) -> bool:
    return not turn.overtaken and turn.v2v_ms is not None and turn.v2v_ms <= budget_ms


def _quality(turn: Turn) -> float | None:
    """What the path that was heard was expected to be worth when it was last forecast."""
    if turn.decision is None:
        return None
    heard = [way.path for way in turn.decision.ways if way.heard]
    path = heard[0] if heard else turn.decision.chosen
    return next((step.quality[path] for step in reversed(turn.decision.steps) if path in step.quality), None)


class _Meter:
    """Passes on what a replay tells, and counts the CPU time between the first frame and the last."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self.cpu_s = self.audio_s = self._from_s = 0.0

    def say(self, line: str) -> None:
        """See Watcher."""
        self._watcher.say(line)

    def call_begins(self, name: str, seconds: float) -> None:
        """See Watcher."""
        self._from_s = time.process_time()
        self.audio_s += seconds
        self._watcher.call_begins(name, seconds)

    def position(self, seconds: float) -> None:
        """See Watcher."""
        now = time.process_time()
        self.cpu_s, self._from_s = self.cpu_s + now - self._from_s, now
        self._watcher.position(seconds)

    def turn(self, row: Turn) -> None:
        """See Watcher."""
        self._watcher.turn(row)


def replayed(calls: Sequence[Path], loaded: Loaded, out: Path, watcher: Watcher) -> Replayed | None:
    """Replay ``calls`` into ``out``; what lies there of the same settings is taken as it is. None: stopped before the
    end.

    Raises AgentError (also: no turn in any call), StageError.
    """
    config = loaded.config
    gap = config.replay.max_gap_s
    items = from_paths(calls, out, loaded, max_gap_s=gap)
    meter = _Meter(watcher)
    outcome = asyncio.run(replay(items, loaded, out, meter, max_gap_s=gap))
    if not outcome.finished:
        return None
    kept = out / "cpu.json"
    cpu: float | None = meter.cpu_s / meter.audio_s if meter.audio_s else _read_cpu(kept)
    if meter.audio_s:
        write_whole(kept, f"{cpu}\n")
    figures = figures_of(outcome.report, config.budget.budget_ms, config.replay.missed_after_ms, cpu)
    if figures is None:
        raise AgentError(
            "tune.no_turns",
            f"{', '.join(path.name for path in calls)}: no turn of a caller.",
            "Tune on calls that have turns.",
        )
    return Replayed(outcome.report, figures)


def _read_cpu(path: Path) -> float | None:
    try:
        return float(path.read_text())
    except (OSError, ValueError):
        return None
