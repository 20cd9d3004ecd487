"""A time that is not known yet, as a distribution."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import NormalDist

_UNIT = NormalDist()
_OVERDUE_SD = 2.0
_SURE_SD = 1e-6


@dataclass(frozen=True, slots=True)
class Estimate:
    """``max(floor_ms, X)`` with X normal: work that takes X beside a wait that lasts ``floor_ms`` at least.

    Attributes:
        mean_ms: mean of X.
        variance: variance of X in ms².
        floor_ms: what the whole cannot be shorter than.
    """

    mean_ms: float
    variance: float = 0.0
    floor_ms: float = 0.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.mean_ms) and math.isfinite(self.variance) and self.variance >= 0.0):
            raise ValueError(f"no distribution has mean {self.mean_ms} and variance {self.variance}")

    @property
    def sd_ms(self) -> float:
        """Standard deviation of X."""
        return math.sqrt(self.variance)

    def score(self, at_ms: float) -> float:
        """How many standard deviations ``at_ms`` lies above the mean of X."""
        return (at_ms - self.mean_ms) / max(self.sd_ms, _SURE_SD)

    def at_score(self, score: float) -> float:
        """The time that lies ``score`` standard deviations above the mean, not below the floor."""
        return max(self.floor_ms, self.mean_ms + score * self.sd_ms)

    def quantile(self, share: float) -> float:
        """The time that is not passed with a chance of ``share`` (between 0 and 1, both excluded)."""
        return self.at_score(_UNIT.inv_cdf(share))

    def chance_within(self, limit_ms: float) -> float:
        """The chance that it takes ``limit_ms`` at most."""
        return 0.0 if limit_ms < self.floor_ms else _UNIT.cdf(self.score(limit_ms))

    def later(self, by_ms: float) -> Estimate:
        """The same, ``by_ms`` later."""
        return replace(self, mean_ms=self.mean_ms + by_ms, floor_ms=self.floor_ms + by_ms)

    def left_after(self, spent_ms: float) -> Estimate:
        """What is left of work that was begun ``spent_ms`` ago and is not done: X - spent, given X > spent.

        The moments of a normal distribution cut off on its left. Work that is overdue is not taken for nearly
        done: its spread grows with the delay, so that the longer it is late, the longer it is expected to take.
        """
        if spent_ms <= 0.0:
            return self
        late = spent_ms - self.mean_ms
        sd = max(self.sd_ms, late / _OVERDUE_SD, _SURE_SD)
        at = -late / sd
        if at > 8.0:  # the part cut off weighs nothing
            return Estimate(self.mean_ms - spent_ms, self.variance)
        hazard = _UNIT.pdf(at) / _UNIT.cdf(at)
        variance = sd * sd * max(0.0, 1.0 - at * hazard - hazard * hazard)
        return Estimate(max(0.0, sd * hazard - late), variance)
