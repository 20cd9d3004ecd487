"""Paired differences and how sure they are: a bootstrap over calls or turns, seeded. Pure.

The bootstrap (Efron 1979) makes an interval of no width of a single pair. So a difference is claimed only if,
besides, at least six pairs differ: with five, all one way, chance alone does as much in 6 % of the cases (a two-sided
sign test).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from latency_budget.statistics import Z_95

Floats = NDArray[np.float64]
Verdict = Literal["better", "worse", "noise", "too few"]
Statistic = Callable[[Floats], Floats]
"""From values of shape (rounds, pairs) to one number a round."""

ROUNDS = 2000
SEED = 20_250_301
LEAST_PAIRS = 6
LEAST_CALLS = 8
"""With fewer calls than this, turns are drawn: a handful of groups gives no interval that can be trusted."""


class Resampler:
    """Draws pairs again and again, the same way for every statistic of one set of pairs.

    Whole calls are drawn where there are enough of them, since the turns of a call are alike; else turns.

    Args:
        groups: the call of each pair.
    """

    def __init__(self, groups: Sequence[str]) -> None:
        names = sorted(set(groups))
        self.by_call = len(names) >= LEAST_CALLS
        self.units = len(names) if self.by_call else len(groups)
        number = {name: index for index, name in enumerate(names)}
        member = np.array([number[name] for name in groups], dtype=np.int64)
        rng = np.random.default_rng(SEED)
        if self.by_call:
            drawn = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), size=ROUNDS)
            self._weights = drawn[:, member].astype(np.float64)
        elif groups:
            share = np.full(self.units, 1 / self.units)
            self._weights = rng.multinomial(self.units, share, size=ROUNDS).astype(np.float64)
        else:
            self._weights = np.zeros((ROUNDS, 0))

    def means(self, values: Floats) -> Floats:
        """The mean of ``values`` in each round, shape (rounds,)."""
        found: Floats = (self._weights @ values) / self._weights.sum(axis=1)
        return found

    def percentiles(self, values: Floats, percent: float) -> Floats:
        """The percentile of ``values`` in each round by linear interpolation, as the report's own are."""
        order = np.argsort(values, kind="stable")
        ranked = values[order]
        reached = np.cumsum(self._weights[:, order], axis=1)
        place = (reached[:, -1] - 1) * percent / 100
        low, high = np.floor(place), np.ceil(place)
        below = ranked[_index(reached, low)]
        above = ranked[_index(reached, high)]
        found: Floats = below + (above - below) * (place - low)
        return found

    def interval(self, rounds: Floats) -> tuple[float, float]:
        """The 95 % interval from what the rounds gave."""
        cut = tail(self.units)
        low, high = np.percentile(rounds, (cut, 100 - cut))
        return float(low), float(high)


def _index(reached: Floats, place: Floats) -> NDArray[np.int64]:
    """Which value stands at ``place`` (from 0) of each round's sorted draw."""
    return np.asarray((reached <= place[:, None]).sum(axis=1), dtype=np.int64)


def tail(units: int) -> float:
    """The per cent to cut from either end of the rounds for a 95 % interval over ``units`` drawn units.

    The percentile bootstrap is too narrow when few are drawn: with 8 turns, chance alone left 0 outside in 12 of 100
    comparisons instead of 5. So more is kept, as for Student's t (the expanded percentile interval, Hesterberg 2015):
    6 of 100 then. t by the expansion of its quantile around the normal one, good to 0.003 from 6 units on.
    """
    free = max(units - 1, 1)
    t = (
        Z_95
        + (Z_95**3 + Z_95) / (4 * free)
        + (5 * Z_95**5 + 16 * Z_95**3 + 3 * Z_95) / (96 * free**2)
        + (3 * Z_95**7 + 19 * Z_95**5 + 17 * Z_95**3 - 15 * Z_95) / (384 * free**3)
    )
    return 100 * NormalDist().cdf(-t * math.sqrt(max(units, 2) / free))


def verdict(low: float, high: float, differing: int, *, less_is_better: bool) -> Verdict:
    """What may be said of a difference (second minus first) with this interval and so many pairs that differ."""
    if low <= 0 <= high:
        return "noise"
    if differing < LEAST_PAIRS:
        return "too few"
    return "better" if (high < 0) == less_is_better else "worse"
