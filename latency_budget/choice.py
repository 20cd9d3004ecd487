"""Which path answers: the best expected quality that will be heard in time with enough certainty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType

from latency_budget.config import BudgetConfig
from latency_budget.exchange import Path
from latency_budget.predictor import Forecast

SAME_QUALITY = 0.005
"""Qualities nearer than this are the same; then the one that is heard earlier wins."""


@dataclass(frozen=True, slots=True)
class Option:
    """One way to answer.

    Attributes:
        path: which.
        content: when audio that answers would be heard, after the caller's last voiced sample.
        quality: the expected share of such answers that are right, 0 to 1.
        price: what it still costs, in the unit of the configured cap (CPU seconds).
        bridge: when a bridge phrase in front of it would be heard; None without one.
    """

    path: Path
    content: Forecast
    quality: float
    price: float = 0.0
    bridge: Forecast | None = None

    @property
    def onset(self) -> Forecast:
        """When anything of it would be heard."""
        return self.content if self.bridge is None else self.bridge

    @property
    def name(self) -> str:
        """As it stands in the report."""
        return self.path if self.bridge is None else f"{self.path}+bridge"


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen.

    Attributes:
        option: the way to answer; None when none is left: say the safe sentence.
        why: one sentence for people.
        predicted_ms: for each option by name, when it will have been heard with the configured confidence.
        met: whether the budget will be kept with that confidence.
    """

    option: Option | None
    why: str
    predicted_ms: MappingProxyType[str, float]
    met: bool


@dataclass(frozen=True, slots=True)
class Limits:
    """What counts as in time at this moment.

    Attributes:
        onset_ms: the budget, or what the turn's own end leaves possible where that is later.
        give_up_ms: answers that are expected later than this are not waited for.
    """

    onset_ms: float
    give_up_ms: float

    @classmethod
    def of(cls, budget: BudgetConfig, earliest_ms: float = 0.0) -> Limits:
        """The limits of a turn in which nothing can be heard before ``earliest_ms``.

        A turn whose end was seen late leaves no path in time: then all that add nothing to that wait are.
        """
        late = max(0.0, earliest_ms - budget.budget_ms)
        return cls(budget.budget_ms + late, budget.give_up_ms + late)


def chance(option: Option, budget: BudgetConfig, onset_ms: float | None = None) -> float:
    """The chance that ``option`` keeps both limits. They share their causes, so the lower of the two."""
    kept = option.onset.chance_within(budget.budget_ms if onset_ms is None else onset_ms)
    if budget.content_budget_ms is not None:
        kept = min(kept, option.content.chance_within(budget.content_budget_ms))
    return kept


def choose(options: Sequence[Option], budget: BudgetConfig, limits: Limits | None = None) -> Choice:
    """The best of ``options``.

    Of those within the price cap that keep the budget with ``confidence``: the highest quality, then the earliest.
    Where none does: the one most likely to keep it, as long as it is expected before ``give_up_ms``; else none,
    which means the safe sentence.
    """
    limits = limits or Limits.of(budget)
    predicted = MappingProxyType({one.name: one.onset.quantile(budget.confidence) for one in options})
    cap = budget.price_cap
    payable = [one for one in options if cap is None or one.price <= cap]
    chances = [chance(one, budget, limits.onset_ms) for one in payable]
    sure = [one for one, kept in zip(payable, chances, strict=True) if kept >= budget.confidence]
    if sure:
        best = _best(sure)
        met = chance(best, budget) >= budget.confidence
        return Choice(best, _why_best(best, payable, sure, budget, limits), predicted, met=met)
    usable = [
        (kept, one)
        for kept, one in zip(chances, payable, strict=True)
        if one.content.mean_ms <= limits.give_up_ms
    ]
    if not usable:
        left_out = (
            f"; {len(options) - len(payable)} above the price cap" if len(payable) < len(options) else ""
        )
        why = f"no path is expected within {limits.give_up_ms:.0f} ms{left_out}: the safe sentence"
        return Choice(None, why, predicted, met=False)
    kept, likeliest = max(usable, key=lambda pair: (round(pair[0], 3), -pair[1].content.mean_ms))
    why = (
        f"no path keeps {budget.budget_ms:.0f} ms with {budget.confidence:.0%}; "
        f"{likeliest.name} is the likeliest to ({kept:.0%})"
    )
    return Choice(likeliest, why, predicted, met=False)


def _best(sure: Sequence[Option]) -> Option:
    top = max(one.quality for one in sure)
    equal = [one for one in sure if one.quality >= top - SAME_QUALITY]
    return min(equal, key=lambda one: (one.content.mean_ms, one.price))


def _why_best(
    best: Option, payable: Sequence[Option], sure: Sequence[Option], budget: BudgetConfig, limits: Limits
) -> str:
    p = best.onset.quantile(budget.confidence)
    why = f"{best.name}: quality {best.quality:.2f}, heard by {p:.0f} ms with {budget.confidence:.0%}"
    better = [one for one in payable if one not in sure and one.quality > best.quality + SAME_QUALITY]
    if better:
        wanted = max(better, key=lambda one: one.quality)
        late = chance(wanted, budget, limits.onset_ms)
        why += (
            f"; {wanted.name} ({wanted.quality:.2f}) would keep {limits.onset_ms:.0f} ms with only {late:.0%}"
        )
    return why
