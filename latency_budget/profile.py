"""What each stage costs on this machine: its time as a linear function of the amount of work.

Bayesian least squares on relative errors: each observation is divided by what the prior expects of it, so that a
long and a short piece of work weigh the same, and the spread is a share of the time. The sums are kept, not the
observations, so a profile is small and grows from run to run.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType

from latency_budget.estimate import Estimate

Amounts = tuple[float, ...]
"""How much work: one number for each feature of the stage, without the constant."""


class Stage(StrEnum):
    """A piece of work with a time of its own."""

    ASR = "asr"
    MODEL = "model"
    ACCURATE = "accurate"
    TTS = "tts"
    OUTPUT = "output"


@dataclass(frozen=True, slots=True)
class Prior:
    """What is expected of a stage before anything was measured.

    Attributes:
        features: names of the amounts, in order.
        weights_ms: constant, then ms for each unit of each amount.
        typical: an ordinary amount of each: how strongly the prior holds its weight.
        spread: standard deviation as a share of the time.
        strength: how many observations the prior is worth.
    """

    features: tuple[str, ...]
    weights_ms: tuple[float, ...]
    typical: tuple[float, ...]
    spread: float = 0.3
    strength: float = 4.0

    def expects(self, amounts: Amounts) -> float:
        """Its time in ms."""
        return _dot(self.weights_ms, (1.0, *amounts))


PRIORS: Mapping[Stage, Prior] = MappingProxyType(
    {
        # Whisper base on an utterance and its margin; a 0.5B model as Q4_0, and as a council that weighs four replies;
        # piper; a 20 ms block and its device.
        # Only where to begin from: four observations weigh as much.
        Stage.ASR: Prior(("audio_s",), (60.0, 20.0), (3.0,)),
        Stage.MODEL: Prior(("prompt_tokens", "tokens"), (40.0, 4.0, 42.0), (15.0, 5.0)),
        Stage.ACCURATE: Prior(("chars",), (800.0, 6.0), (40.0,)),
        Stage.TTS: Prior(("chars",), (12.0, 2.4), (20.0,)),
        Stage.OUTPUT: Prior((), (30.0,), ()),
    }
)

LONGEST = 100.0
"""A stored stage that takes so many times its prior was learned from a machine that slept or a clock that stepped."""


class ProfileError(ValueError):
    """A stored profile that cannot be right; the sentence says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class StageFit:
    """The sums of one stage, and the weights that follow from them."""

    prior: Prior
    gram: tuple[tuple[float, ...], ...]
    moment: tuple[float, ...]
    square: float = 0.0
    count: int = 0
    weights_ms: tuple[float, ...] = field(default=(), compare=False)
    spread2: float = field(default=0.0, compare=False)

    @classmethod
    def unlearned(cls, prior: Prior) -> StageFit:
        """Nothing but the prior."""
        size = len(prior.weights_ms)
        return cls(prior, ((0.0,) * size,) * size, (0.0,) * size)._solved()

    def learned(self, amounts: Amounts, took_ms: float) -> StageFit:
        """With one more observation. Raises ValueError for a time that is none, or the wrong amounts."""
        if not (math.isfinite(took_ms) and took_ms >= 0.0):
            raise ValueError(f"{took_ms} is no time")
        row, wanted = self._row(amounts), took_ms / self.prior.expects(amounts)
        gram = tuple(
            tuple(cell + one * two for cell, two in zip(cells, row, strict=True))
            for cells, one in zip(self.gram, row, strict=True)
        )
        moment = tuple(old + one * wanted for old, one in zip(self.moment, row, strict=True))
        more = replace(self, gram=gram, moment=moment, square=self.square + wanted**2, count=self.count + 1)
        return more._solved()

    def predict(self, amounts: Amounts) -> Estimate:
        """Its time on a quiet machine."""
        if len(amounts) != len(self.prior.features):
            raise ValueError(f"{len(amounts)} amounts for {self.prior.features}")
        mean = _dot(self.weights_ms, (1.0, *amounts))
        return Estimate(mean, self.spread2 * mean * mean)

    def _row(self, amounts: Amounts) -> tuple[float, ...]:
        if len(amounts) != len(self.prior.features):
            raise ValueError(f"{len(amounts)} amounts for {self.prior.features}")
        scale = self.prior.expects(amounts)
        return tuple(value / scale for value in (1.0, *amounts))

    def _solved(self) -> StageFit:
        """The weights, none below zero: a weight that would be is 0 and the others are solved again."""
        prior = self.prior
        hold = self._hold()
        free = list(range(len(prior.weights_ms)))
        weights = [0.0] * len(free)
        while free:
            matrix = [[self.gram[i][j] + (hold[i] if i == j else 0.0) for j in free] for i in free]
            right = [self.moment[i] + hold[i] * prior.weights_ms[i] for i in free]
            solved = _solve(matrix, right)
            weights = [0.0] * len(prior.weights_ms)
            for at, value in zip(free, solved, strict=True):
                weights[at] = max(0.0, value)
            if all(value >= 0.0 for value in solved):
                break
            free = [at for at, value in zip(free, solved, strict=True) if value >= 0.0]
        squares = self.square - 2.0 * _dot(weights, self.moment)
        squares += sum(w * _dot(row, weights) for w, row in zip(weights, self.gram, strict=True))
        spread2 = (max(0.0, squares) + prior.strength * prior.spread**2) / (self.count + prior.strength)
        return replace(self, weights_ms=tuple(weights), spread2=spread2)

    def _hold(self) -> list[float]:
        prior = self.prior
        scale = prior.expects(prior.typical)
        return [prior.strength * (value / scale) ** 2 for value in (1.0, *prior.typical)]


@dataclass(frozen=True, slots=True)
class Profile:
    """All stages of one machine with one configuration. ``key`` names both."""

    key: str
    stages: Mapping[Stage, StageFit]

    @classmethod
    def unlearned(cls, key: str = "", priors: Mapping[Stage, Prior] = PRIORS) -> Profile:
        """Nothing but the priors."""
        return cls(key, {stage: StageFit.unlearned(prior) for stage, prior in priors.items()})

    def learned(self, stage: Stage, amounts: Amounts, took_ms: float) -> Profile:
        """With one more observation of ``stage``."""
        return replace(self, stages={**self.stages, stage: self.stages[stage].learned(amounts, took_ms)})

    def predict(self, stage: Stage, amounts: Amounts) -> Estimate:
        """The time of ``stage`` on a quiet machine."""
        return self.stages[stage].predict(amounts)

    def as_data(self) -> dict[str, object]:
        """As plain data for JSON."""
        stages = {
            str(stage): {
                "features": list(fit.prior.features),
                "gram": [list(row) for row in fit.gram],
                "moment": list(fit.moment),
                "square": fit.square,
                "count": fit.count,
            }
            for stage, fit in self.stages.items()
        }
        return {"schema": 1, "key": self.key, "stages": stages}


def profile_from(data: object, key: str, priors: Mapping[Stage, Prior] = PRIORS) -> Profile:
    """Read what :meth:`Profile.as_data` gave, and believe none of it unchecked.

    Raises ProfileError: another machine or configuration, a missing stage, numbers that no measurements give.
    """
    if not isinstance(data, dict) or data.get("schema") != 1:
        raise ProfileError("it is no profile of this version")
    if data.get("key") != key:
        raise ProfileError("it was learned on another machine or with another configuration")
    stages = data.get("stages")
    if not isinstance(stages, dict) or set(stages) != {str(stage) for stage in priors}:
        raise ProfileError("its stages are not those of this version")
    return Profile(
        key, {stage: _fit_from(stage, stages[str(stage)], prior) for stage, prior in priors.items()}
    )


def _fit_from(stage: Stage, data: object, prior: Prior) -> StageFit:
    if not isinstance(data, dict) or data.get("features") != list(prior.features):
        raise ProfileError(f"{stage}: its features are not {prior.features}")
    size, count = len(prior.weights_ms), data.get("count")
    gram, moment = data.get("gram"), data.get("moment")
    rows = _numbers(stage, moment, size)
    if not isinstance(gram, list) or len(gram) != size or not isinstance(count, int) or count < 0:
        raise ProfileError(f"{stage}: its sums have another shape")
    table = tuple(_numbers(stage, row, size) for row in gram)
    (square,) = _numbers(stage, [data.get("square")], 1)
    if square < 0.0 or any(table[i][j] != table[j][i] for i in range(size) for j in range(i)):
        raise ProfileError(f"{stage}: no measurements give these sums")
    if any(table[i][i] < 0.0 or (count == 0 and table[i][i] != 0.0) for i in range(size)):
        raise ProfileError(f"{stage}: no measurements give these sums")
    try:
        fit = StageFit(prior, table, rows, square, count)._solved()
    except (ZeroDivisionError, ValueError) as fault:
        raise ProfileError(f"{stage}: no measurements give these sums") from fault
    if fit.predict(prior.typical).mean_ms > LONGEST * prior.expects(prior.typical):
        raise ProfileError(f"{stage}: it takes more than {LONGEST:g} times as long as anywhere")
    return fit


def _numbers(stage: Stage, values: object, size: int) -> tuple[float, ...]:
    if not isinstance(values, list) or len(values) != size:
        raise ProfileError(f"{stage}: its sums have another shape")
    if not all(isinstance(v, (int, float)) and not isinstance(v, bool) and math.isfinite(v) for v in values):
        raise ProfileError(f"{stage}: a sum is no number")
    return tuple(float(value) for value in values)


def _dot(left: Sequence[float], right: Sequence[float]) -> float:
    return sum(one * two for one, two in zip(left, right, strict=True))


def _solve(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Gaussian elimination with pivots, for the two or three unknowns of a stage."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    size = len(rows)
    for at in range(size):
        pivot = max(range(at, size), key=lambda row: abs(rows[row][at]))
        rows[at], rows[pivot] = rows[pivot], rows[at]
        for below in range(at + 1, size):
            factor = rows[below][at] / rows[at][at]
            rows[below] = [value - factor * top for value, top in zip(rows[below], rows[at], strict=True)]
    solved = [0.0] * size
    for at in reversed(range(size)):
        known = sum(rows[at][j] * solved[j] for j in range(at + 1, size))
        solved[at] = (rows[at][size] - known) / rows[at][at]
    return solved
