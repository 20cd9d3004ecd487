"""The controller over traces: budget sweep, against always the same path, load step, time of a decision."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter

from latency_budget.config import BudgetConfig
from latency_budget.policy import Candidate, Situation, TurnState, decide
from latency_budget.predictor import Predictor
from latency_budget.simulate import Score, Strategy, TurnTrace, always, by_controller, play, score
from latency_budget.statistics import percentile
from latency_budget.synthetic import World, turns

BUDGETS_MS = (250.0, 350.0, 500.0, 800.0, 1200.0)
STRATEGIES: tuple[tuple[str, Strategy], ...] = (
    ("controller", by_controller),
    ("always fast", always("fast")),
    ("always accurate", always("accurate")),
)
WARM_TURNS, BEFORE, AFTER = 200, 20, 40
STEADY = 10
"""Turns after a load step from which the coverage is to be back."""


@dataclass(frozen=True, slots=True)
class Row:
    """One strategy at one budget; ``reachable`` is the share of turns that any path could have kept."""

    budget_ms: float
    strategy: str
    score: Score
    reachable: float


def sweep(found: Sequence[TurnTrace], base: BudgetConfig) -> list[Row]:
    """Every strategy at every budget, each with a predictor that knows nothing yet."""
    rows = []
    for budget_ms in BUDGETS_MS:
        config = base.model_copy(update={"budget_ms": budget_ms, "content_budget_ms": None})
        reachable = sum(trace.best(config) is not None for trace in found) / len(found)
        for name, strategy in STRATEGIES:
            played, _ = play(found, config, Predictor(), strategy)
            rows.append(Row(budget_ms, name, score(played), reachable))
    return rows


@dataclass(frozen=True, slots=True)
class Step:
    """A load step, averaged over many calls: coverage of the predicted p95 before it, in the turns after it, and later.

    ``back_after`` is the first turn from which every window of five turns covers 93 % or more; None if that never is.
    """

    factor: float
    calls: int
    before: float
    turns_after: tuple[float, ...]
    later: float
    followed: float
    back_after: int | None


def load_step(factor: float, calls: int, base: BudgetConfig, seed: int) -> Step:
    """``calls`` made calls in which everything is ``factor`` times slower from their 21st turn on."""
    config = base.model_copy(update={"budget_ms": 800.0})
    _, warm = play(turns(WARM_TURNS, seed + 1_000_000), config, Predictor())
    covered: list[list[bool]] = [[] for _ in range(BEFORE + AFTER)]
    followed = 0.0
    for call in range(calls):
        world = World(step_at=BEFORE, step=factor)
        rows, _ = play(turns(BEFORE + AFTER, seed + call, world), config, warm)
        followed += rows[BEFORE + STEADY].slow_down / calls
        for at, row in enumerate(rows):
            if row.covered is not None:
                covered[at].append(row.covered)
    after = [_share(covered[at : at + 1]) for at in range(BEFORE, BEFORE + STEADY)]
    return Step(
        factor,
        calls,
        _share(covered[:BEFORE]),
        tuple(after),
        _share(covered[BEFORE + STEADY :]),
        followed,
        _back_after(covered[BEFORE:]),
    )


def _back_after(covered: Sequence[Sequence[bool]]) -> int | None:
    windows = [_share(covered[at : at + 5]) for at in range(len(covered) - 4)]
    bad = [at for at, value in enumerate(windows) if value < 0.93]
    first = bad[-1] + 1 if bad else 0
    return first if first < len(windows) else None


def _share(rows: Iterable[Sequence[bool]]) -> float:
    flat = [hit for row in rows for hit in row]
    return sum(flat) / len(flat)


def decision_ms(
    found: Sequence[TurnTrace], base: BudgetConfig, clock: Callable[[], float] = perf_counter
) -> tuple[float, float]:
    """Median and p99 of the time that one decision takes."""
    took, predictor = [], Predictor()
    for trace in found:
        ways = tuple(Candidate(one.path, one.works, one.quality, one.price) for one in trace.paths)
        situation = Situation(trace.waited_ms, ways, trace.turn_end_ms, bridge_ms=900.0)
        start = clock()
        decide(TurnState(), situation, predictor, base)
        took.append((clock() - start) * 1000.0)
    return percentile(took, 50), percentile(took, 99)
