"""Plays the controller over traces in which every path's time is known: exact, and thousands of turns in seconds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from latency_budget.choice import Option
from latency_budget.config import BudgetConfig
from latency_budget.exchange import Path
from latency_budget.policy import Candidate, Situation, TurnState, decide
from latency_budget.predictor import Forecast, Predictor, Took, Work
from latency_budget.statistics import Z_95, Share, share


@dataclass(frozen=True, slots=True)
class PathTrace:
    """One path of a turn: its work at the moment of the decision, how long each piece of it took, how good it was."""

    path: Path
    works: tuple[Work, ...]
    took_ms: tuple[float, ...]
    quality: float
    price: float = 0.0

    @property
    def left_ms(self) -> float:
        """From the decision to its first piece that answers."""
        return sum(self.took_ms)


@dataclass(frozen=True, slots=True)
class TurnTrace:
    """One turn: when it was decided, when the turn was committed, and all paths."""

    waited_ms: float
    turn_end_ms: float
    paths: tuple[PathTrace, ...]

    def heard_ms(self, path: PathTrace, config: BudgetConfig) -> float:
        """V2V of ``path``."""
        return max(self.turn_end_ms, config.min_gap_ms, self.waited_ms + path.left_ms)

    def best(self, config: BudgetConfig) -> PathTrace | None:
        """The best path that kept the budget; None if none did."""
        kept = [path for path in self.paths if self.heard_ms(path, config) <= config.budget_ms]
        return max(kept, key=lambda path: path.quality, default=None)


@dataclass(frozen=True, slots=True)
class Played:
    """What became of one turn. ``path`` is None where the safe sentence was said; ``covered`` (by the predicted
    p95) where the wait for the turn's end covers the work in any case.
    """

    path: Path | None
    heard_ms: float
    quality: float
    met: bool
    best_quality: float | None
    covered: bool | None
    slow_down: float

    @property
    def regret(self) -> float:
        """Quality lost against the best path that kept the budget; 0 where none did."""
        return 0.0 if self.best_quality is None else max(0.0, self.best_quality - self.quality)

    @property
    def strict_regret(self) -> float:
        """The same, where an answer that came late counts nothing."""
        return 0.0 if self.best_quality is None else self.best_quality - (self.quality if self.met else 0.0)


Strategy = Callable[[TurnTrace, Predictor, BudgetConfig], tuple[PathTrace | None, Forecast | None]]


def by_controller(
    trace: TurnTrace, predictor: Predictor, config: BudgetConfig
) -> tuple[PathTrace | None, Forecast | None]:
    """What the controller takes."""
    candidates = tuple(Candidate(one.path, one.works, one.quality, one.price) for one in trace.paths)
    situation = Situation(trace.waited_ms, candidates, trace.turn_end_ms)
    _, decision = decide(TurnState(), situation, predictor, config)
    option: Option | None = decision.choice.option
    if option is None:
        return None, None
    return next(one for one in trace.paths if one.path == option.path), option.content


def always(path: Path) -> Strategy:
    """The same path on every turn."""

    def take(
        trace: TurnTrace, predictor: Predictor, config: BudgetConfig
    ) -> tuple[PathTrace | None, Forecast | None]:
        found = next(one for one in trace.paths if one.path == path)
        floor = max(trace.turn_end_ms, config.min_gap_ms)
        return found, predictor.forecast(found.works, trace.waited_ms, floor)

    return take


def play(
    traces: Iterable[TurnTrace],
    config: BudgetConfig,
    predictor: Predictor,
    strategy: Strategy = by_controller,
    *,
    safe_quality: float = 0.0,
    learn: bool = True,
) -> tuple[list[Played], Predictor]:
    """Play ``traces`` in order; the predictor learns only from the path that was taken, as it would live."""
    rows: list[Played] = []
    for trace in traces:
        slow = predictor.slow_down.mean
        path, forecast = strategy(trace, predictor, config)
        best = trace.best(config)
        best_quality = None if best is None else best.quality
        if path is None or forecast is None:
            rows.append(Played(None, math.inf, safe_quality, False, best_quality, None, slow))
            continue
        heard = trace.heard_ms(path, config)
        limit = forecast.quantile(0.95)
        covered = None if max(heard, limit) <= forecast.estimate.floor_ms else heard <= limit
        met = heard <= config.budget_ms
        rows.append(Played(path.path, heard, path.quality, met, best_quality, covered, slow))
        predictor = predictor.seen(forecast, heard)
        took = [Took(work, ms) for work, ms in zip(path.works, path.took_ms, strict=True)]
        if learn:
            predictor = predictor.learned(took)
        predictor = predictor.timed(took)
    return rows, predictor


@dataclass(frozen=True, slots=True)
class Score:
    """A run in figures; shares with their Wilson intervals, quality with its normal 95 % interval."""

    turns: int
    met: Share
    quality: float
    quality_low: float
    quality_high: float
    regret: float
    strict_regret: float
    coverage: Share
    paths: dict[str, int]


def score(rows: Sequence[Played]) -> Score:
    """Sum up ``rows``. Regret is a share of the quality that the best paths have. Raises ValueError on no rows."""
    if not rows:
        raise ValueError("no turns have no score")
    count = len(rows)
    mean = sum(row.quality for row in rows) / count
    variance = sum((row.quality - mean) ** 2 for row in rows) / max(1, count - 1)
    half = Z_95 * math.sqrt(variance / count)
    best = sum(row.best_quality or 0.0 for row in rows)
    told = [row.covered for row in rows if row.covered is not None]
    paths: dict[str, int] = {}
    for row in rows:
        paths[row.path or "safe"] = paths.get(row.path or "safe", 0) + 1
    return Score(
        turns=count,
        met=share(sum(row.met for row in rows), count),
        quality=mean,
        quality_low=mean - half,
        quality_high=mean + half,
        regret=sum(row.regret for row in rows) / best if best else 0.0,
        strict_regret=sum(row.strict_regret for row in rows) / best if best else 0.0,
        coverage=share(sum(told), len(told)),
        paths=paths,
    )
