"""Axes of the charts: from figures to places in a drawing, with round numbers at the ticks."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Axis:
    """A linear axis from 0 to ``high``, drawn from ``start`` to ``stop`` in units of the drawing.

    ``ticks`` are round numbers, evenly spaced from 0; the last one may be ``high`` itself.
    """

    high: float
    start: float
    stop: float
    ticks: tuple[float, ...]

    def at(self, value: float) -> float:
        """Where ``value`` lies, to a tenth of a unit; values beyond the axis lie at its end."""
        share = min(max(value / self.high, 0.0), 1.0)
        return round(self.start + share * (self.stop - self.start), 1)

    def tick_places(self) -> list[tuple[float, str]]:
        """Place and label of each tick."""
        return [(self.at(tick), f"{tick:g}") for tick in self.ticks]


def round_step(high: float, about: int) -> float:
    """A step of 1, 2 or 5 times a power of ten that divides 0..``high`` (> 0) into at most ``about`` steps."""
    power = 10.0 ** math.floor(math.log10(high / about))
    return next(times * power for times in (1, 2, 5, 10, 20) if high / (times * power) <= about)


def axis(high: float, start: float, stop: float, *, about: int = 8, whole_steps: bool = True) -> Axis:
    """An axis that holds ``high`` (> 0). With ``whole_steps`` it is made longer, to end at a tick."""
    step = round_step(high, about)
    count = math.ceil(high / step - 1e-9) if whole_steps else math.floor(high / step + 1e-9)
    ticks = tuple(round(step * n, 10) for n in range(count + 1))
    return Axis(ticks[-1] if whole_steps else high, start, stop, ticks)
