"""Makes predicted quantiles true: a p95 that is kept in 95 of 100 turns, whatever the noise is like.

Adaptive conformal inference (Gibbs and Candès, "Adaptive Conformal Inference Under Distribution Shift", NeurIPS 2021):
quantiles are read from the recent errors, measured in the predictor's own standard deviations, at a level that rises
with each miss and falls with each hit. It starts from a normal distribution's errors, which real ones replace.
"""

from __future__ import annotations

import bisect
from dataclasses import dataclass, field, replace
from statistics import NormalDist

from latency_budget.estimate import Estimate

TARGET = 0.05
"""The share of turns that may pass the predicted p95."""
STEP = 0.01
"""How far one turn moves the level (the paper's gamma): misses of a load step are answered within a few turns."""
WINDOW = 200
_LEAST, _MOST = 0.002, 0.25
"""Bounds of the level: kept within them, it does not work off a debt of misses long after the load has gone."""
_SUREST = 0.9999
_FARTHER = 1.0
"""How far a new error may lie beyond all that are kept: a hung stage or a load step says little about the next turn."""
_SAME_CAUSE = 5
"""Misses in a row that count as one: a load step, which the slow-down factor is about to follow."""

_UNIT = NormalDist()


def _ideal() -> tuple[float, ...]:
    return tuple(_UNIT.inv_cdf((at + 1) / (WINDOW + 1)) for at in range(WINDOW))


@dataclass(frozen=True, slots=True)
class Conformal:
    """The recent errors in order of time, the level, and the misses since the last hit."""

    alpha: float = TARGET
    misses: int = 0
    scores: tuple[float, ...] = field(default_factory=lambda: _spread(_ideal()))
    _ordered: tuple[float, ...] = field(default_factory=_ideal, repr=False, compare=False)

    def quantile(self, estimate: Estimate, share: float) -> float:
        """The time within which ``share`` of such turns lie."""
        return estimate.at_score(self._score_at(1.0 - (1.0 - share) * self.alpha / TARGET))

    def chance_within(self, estimate: Estimate, limit_ms: float) -> float:
        """The chance that it takes ``limit_ms`` at most; the inverse of :meth:`quantile`."""
        if limit_ms < estimate.floor_ms:
            return 0.0
        beyond = 1.0 - self._share_at(estimate.score(limit_ms))
        return min(1.0, max(0.0, 1.0 - beyond * TARGET / self.alpha))

    def seen(self, estimate: Estimate, took_ms: float) -> Conformal:
        """After a turn that was predicted as ``estimate`` and took ``took_ms``."""
        limit = self.quantile(estimate, 1.0 - TARGET)
        if max(took_ms, limit) <= estimate.floor_ms:
            return self  # the wait covers the work in any case: nothing was predicted
        missed = took_ms > limit
        misses = self.misses + 1 if missed else 0
        if 1 < misses <= _SAME_CAUSE:
            return replace(self, misses=misses)
        alpha = min(_MOST, max(_LEAST, self.alpha + STEP * (TARGET - missed)))
        if took_ms <= estimate.floor_ms:  # the wait hid how long the work took
            return replace(self, alpha=alpha, misses=misses)
        low, high = self._ordered[0] - _FARTHER, self._ordered[-1] + _FARTHER
        scores = (*self.scores[1:], min(high, max(low, estimate.score(took_ms))))
        return Conformal(alpha, misses, scores, tuple(sorted(scores)))

    def _score_at(self, share: float) -> float:
        ordered, count = self._ordered, len(self._ordered)
        share = min(_SUREST, max(1.0 - _SUREST, share))
        position = share * (count + 1) - 1.0
        if position <= 0.0:
            return ordered[0] + _UNIT.inv_cdf(share) - _UNIT.inv_cdf(1.0 / (count + 1))
        if position >= count - 1:
            return ordered[-1] + _UNIT.inv_cdf(share) - _UNIT.inv_cdf(count / (count + 1))
        low = int(position)
        return ordered[low] + (position - low) * (ordered[low + 1] - ordered[low])

    def _share_at(self, score: float) -> float:
        ordered, count = self._ordered, len(self._ordered)
        if score <= ordered[0]:
            return _UNIT.cdf(score - ordered[0] + _UNIT.inv_cdf(1.0 / (count + 1)))
        if score >= ordered[-1]:
            return _UNIT.cdf(score - ordered[-1] + _UNIT.inv_cdf(count / (count + 1)))
        high = bisect.bisect_right(ordered, score)
        low, top = ordered[high - 1], ordered[high]
        return (high + (score - low) / (top - low)) / (count + 1)


def _spread(ordered: tuple[float, ...]) -> tuple[float, ...]:
    """In an order in which each stretch looks like the whole, so that what is left of it stays normal."""
    stride = 37  # prime to the window
    return tuple(ordered[at * stride % len(ordered)] for at in range(len(ordered)))
