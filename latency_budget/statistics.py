"""Percentiles, shares and their uncertainty."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

Z_95 = 1.959963984540054
"""The normal quantile of a two-sided 95 % interval."""


def percentile(values: Sequence[float], percent: float) -> float:
    """The ``percent``-th percentile (0 to 100) by linear interpolation between the sorted values.

    The position is ``(n - 1) * percent / 100`` counted from 0, which is numpy's default ("linear").

    Raises:
        ValueError: no values, or ``percent`` out of range.
    """
    if not values:
        raise ValueError("no values have no percentile")
    if not 0 <= percent <= 100:
        raise ValueError(f"percent must lie in 0..100, not {percent}")
    ordered = sorted(values)
    position = (len(ordered) - 1) * percent / 100
    low = math.floor(position)
    high = min(low + 1, len(ordered) - 1)
    step = (ordered[high] - ordered[low]) * (position - low)
    return min(ordered[low] + step, ordered[high])


def median(values: Sequence[float]) -> float:
    """The 50th percentile. Raises ValueError if there are no values."""
    return percentile(values, 50)


@dataclass(frozen=True, slots=True)
class Share:
    """``hits`` of ``count``, with the Wilson 95 % interval of the share behind it. All None when ``count`` is
    0.
    """

    hits: int
    count: int
    value: float | None
    low: float | None
    high: float | None


def share(hits: int, count: int) -> Share:
    """The share ``hits / count`` with its Wilson score interval (Wilson 1927).

    Raises:
        ValueError: not 0 <= hits <= count.
    """
    if not 0 <= hits <= count:
        raise ValueError(f"{hits} hits of {count} make no share")
    if count == 0:
        return Share(0, 0, None, None, None)
    low, high = wilson(hits, count)
    return Share(hits, count, hits / count, low, high)


def wilson(hits: int, count: int, z: float = Z_95) -> tuple[float, float]:
    """The Wilson score interval of ``hits`` of ``count`` (count > 0), within [0, 1]."""
    p = hits / count
    scale = 1 + z * z / count
    middle = (p + z * z / (2 * count)) / scale
    half = z / scale * math.sqrt(p * (1 - p) / count + z * z / (4 * count * count))
    low = 0.0 if hits == 0 else max(0.0, middle - half)
    high = 1.0 if hits == count else min(1.0, middle + half)
    return low, high


def share_within(values: Sequence[float], limit: float) -> Share:
    """The share of ``values`` that are at most ``limit``."""
    return share(sum(value <= limit for value in values), len(values))


@dataclass(frozen=True, slots=True)
class Summary:
    """Percentiles of one quantity, with how many values they rest on. All None when ``count`` is 0."""

    count: int
    p50: float | None
    p90: float | None
    p95: float | None
    p99: float | None


def summarise(values: Sequence[float]) -> Summary:
    """p50, p90, p95 and p99 of ``values``; none of them when there are no values."""
    if not values:
        return Summary(0, None, None, None, None)
    p50, p90, p95, p99 = (percentile(values, percent) for percent in (50, 90, 95, 99))
    return Summary(len(values), p50, p90, p95, p99)
