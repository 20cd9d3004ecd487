"""Paired differences and how sure they are: a bootstrap over calls or turns, seeded. Pure.

The percentile bootstrap (Efron 1979) is too sure of itself with few pairs, and of one pair it makes an interval of
no width. So a difference is claimed only if, besides, at least six pairs differ: with five, all one way, chance alone
does as much in 6 % of the cases (a two-sided sign test).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

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
        self._count = len(groups)
        number = {name: index for index, name in enumerate(names)}
        member = np.array([number[name] for name in groups], dtype=np.int64)
        rng = np.random.default_rng(SEED)
        if self.by_call:
            drawn = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), size=ROUNDS)
            self._weights = drawn[:, member].astype(np.float64)
        elif self._count:
            share = np.full(self._count, 1 / self._count)
            self._weights = rng.multinomial(self._count, share, size=ROUNDS).astype(np.float64)
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


def _index(reached: Floats, place: Floats) -> NDArray[np.int64]:
    """Which value stands at ``place`` (from 0) of each round's sorted draw."""
    return np.asarray((reached <= place[:, None]).sum(axis=1), dtype=np.int64)


def interval(rounds: Floats) -> tuple[float, float]:
    """The middle 95 % of what the rounds gave."""
    low, high = np.percentile(rounds, (2.5, 97.5))
    return float(low), float(high)


def verdict(low: float, high: float, differing: int, *, less_is_better: bool) -> Verdict:
    """What may be said of a difference (second minus first) with this interval and so many pairs that differ."""
    if low <= 0 <= high:
        return "noise"
    if differing < LEAST_PAIRS:
        return "too few"
    return "better" if (high < 0) == less_is_better else "worse"
