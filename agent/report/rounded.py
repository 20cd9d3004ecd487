"""Figures as the report gives them: percentiles to a tenth of a millisecond, shares to four places."""

from __future__ import annotations

from collections.abc import Sequence

from agent.report.schema import Interval, Percentiles
from latency_budget.statistics import Share, summarise


def percentiles(values: Sequence[float]) -> Percentiles:
    """p50, p90, p95, p99 with the count, to a tenth of a ms."""
    found = summarise(values)
    return Percentiles(
        count=found.count,
        p50=_tenth(found.p50),
        p90=_tenth(found.p90),
        p95=_tenth(found.p95),
        p99=_tenth(found.p99),
    )


def value_of(one: Share) -> float | None:
    """A share; None where nothing was counted."""
    return None if one.value is None else round(one.value, 4)


def interval_of(one: Share) -> Interval:
    """Its 95 % interval; None where nothing was counted."""
    return None if one.low is None or one.high is None else (round(one.low, 4), round(one.high, 4))


def _tenth(value: float | None) -> float | None:
    return None if value is None else round(value, 1)
