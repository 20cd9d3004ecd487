"""When a path would be heard: the profile's times, slowed down as the machine is now, with honest quantiles."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from latency_budget.conformal import Conformal
from latency_budget.estimate import Estimate
from latency_budget.kalman import SlowDown
from latency_budget.profile import Amounts, Profile, Stage

KNOWN_AFTER = 20
"""Observations after which a stage's profile is one."""
CALM_FACTORS = (0.8, 1.25)
"""Slow-down factors at which the machine counts as quiet."""
BELIEVED = 10.0
"""A time longer than that many times the expected one teaches only so much: the machine slept, or its clock stepped."""


@dataclass(frozen=True, slots=True)
class Work:
    """Work that a path still has to do.

    Attributes:
        stage: whose.
        amounts: how much, as the stage's profile counts it.
        spent_ms: how long it has been running already; what is left is what is predicted.
        factor: how many times the profile's time it takes (several sequences in one batch, a slower seat).
    """

    stage: Stage
    amounts: Amounts = ()
    spent_ms: float = 0.0
    factor: float = 1.0


@dataclass(frozen=True, slots=True)
class Forecast:
    """An estimate with the correction that makes its quantiles true."""

    estimate: Estimate
    conformal: Conformal = field(repr=False)

    @property
    def mean_ms(self) -> float:
        """The expected time, not below what it cannot be shorter than."""
        return max(self.estimate.floor_ms, self.estimate.mean_ms)

    def quantile(self, share: float) -> float:
        """The time within which ``share`` of such turns lie."""
        return self.conformal.quantile(self.estimate, share)

    def chance_within(self, limit_ms: float) -> float:
        """The chance that it takes ``limit_ms`` at most."""
        return self.conformal.chance_within(self.estimate, limit_ms)

    def later(self, by_ms: float) -> Forecast:
        """The same, ``by_ms`` later."""
        return replace(self, estimate=self.estimate.later(by_ms))


@dataclass(frozen=True, slots=True)
class Took:
    """A piece of work and how long it really took."""

    work: Work
    took_ms: float


@dataclass(frozen=True, slots=True)
class Predictor:
    """Predicts, and learns from what came true. Frozen: learning gives a new one."""

    profile: Profile = field(default_factory=Profile.unlearned)
    slow_down: SlowDown = field(default_factory=SlowDown)
    conformal: Conformal = field(default_factory=Conformal)

    def forecast(self, works: Iterable[Work], waited_ms: float = 0.0, not_before_ms: float = 0.0) -> Forecast:
        """When ``works``, done one after the other from now on, are through.

        Counted from where ``waited_ms`` is counted from (the caller's last voiced sample); not before
        ``not_before_ms`` on the same count, whatever is ready.
        """
        slow = self.slow_down
        mean = variance = slowed = 0.0
        for work in works:
            quiet = self.profile.predict(work.stage, work.amounts)
            factor = work.factor * slow.mean
            left = Estimate(factor * quiet.mean_ms, factor * factor * quiet.variance).left_after(
                work.spent_ms
            )
            mean += left.mean_ms
            variance += left.variance
            slowed += left.mean_ms / slow.mean
        # The factor is one for all of them: its error does not average out.
        variance += slow.variance * slowed * slowed
        return Forecast(Estimate(waited_ms + mean, variance, not_before_ms), self.conformal)

    def seen(self, forecast: Forecast, at_ms: float) -> Predictor:
        """After a reply that was forecast was heard ``at_ms``. A time that is none teaches nothing."""
        if not math.isfinite(at_ms):
            return self
        return replace(self, conformal=self.conformal.seen(forecast.estimate, at_ms))

    def timed(self, took: Sequence[Took]) -> Predictor:
        """After a turn's work: follows the load. Works without a possible time are left out."""
        real = [one for one in took if math.isfinite(one.took_ms) and one.took_ms > 0.0]
        quiet = [self.profile.predict(one.work.stage, one.work.amounts) for one in real]
        expected = sum(one.work.factor * q.mean_ms for one, q in zip(real, quiet, strict=True))
        if expected <= 0.0:
            return self
        spread = sum(one.work.factor**2 * q.variance for one, q in zip(real, quiet, strict=True))
        # The spread of the ratio grows with the ratio itself.
        noise = max(1e-6, spread / expected**2 * self.slow_down.mean**2)
        ratio = sum(one.took_ms for one in real) / expected
        return replace(self, slow_down=self.slow_down.measured(ratio, noise))

    def learned(self, took: Iterable[Took]) -> Predictor:
        """With a profile that has these times too.

        A loaded turn says nothing about the quiet machine: a stage that is known learns only while the slow-down
        factor is near 1.
        """
        profile = self.profile
        low, high = CALM_FACTORS
        calm = low <= self.slow_down.mean <= high
        for one in took:
            known = profile.stages[one.work.stage].count >= KNOWN_AFTER
            if (calm or not known) and math.isfinite(one.took_ms) and one.took_ms > 0.0:
                expected = profile.predict(one.work.stage, one.work.amounts).mean_ms
                took_ms = min(one.took_ms / one.work.factor, BELIEVED * expected)
                profile = profile.learned(one.work.stage, one.work.amounts, took_ms)
        return replace(self, profile=profile)
