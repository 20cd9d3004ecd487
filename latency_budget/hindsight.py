"""What would have been the best choice, once it is known how long each way took. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from latency_budget.config import BudgetConfig


@dataclass(frozen=True, slots=True)
class Known:
    """A way as it turned out.

    Attributes:
        path: its name.
        quality: the expected share of right answers.
        ready_ms: when its first audio was in memory, after the caller's last voiced sample; for a way that was never
            begun, when it was predicted to be.
    """

    path: str
    quality: float
    ready_ms: float


@dataclass(frozen=True, slots=True)
class Best:
    """The best way: the path, when it would have been heard, its quality, and what was lost against it."""

    path: str
    onset_ms: float
    quality: float
    regret: float


def best_of(
    ways: Iterable[Known], heard: str, turn_end_ms: float, output_ms: float, budget: BudgetConfig
) -> Best | None:
    """The best of ``ways`` within the budget, the earliest of equals; where none kept it, the earliest of all.

    A turn whose end was seen later than the budget leaves those in time that add nothing to that wait.
    """
    known = list(ways)
    if not known:
        return None
    start = max(turn_end_ms, budget.min_gap_ms)
    limit = max(budget.budget_ms, start + output_ms)
    onset = {one.path: max(start, one.ready_ms) + output_ms for one in known}
    kept = [one for one in known if onset[one.path] <= limit]
    if kept:
        best = max(kept, key=lambda one: (one.quality, -onset[one.path]))
    else:
        best = min(known, key=lambda one: onset[one.path])
    taken = next((one for one in known if one.path == heard), None)
    had = 0.0 if taken is None else taken.quality
    in_time = taken is not None and onset[heard] <= limit
    lost = best.quality - had if in_time or not kept else best.quality
    return Best(best.path, onset[best.path], best.quality, max(0.0, lost))
