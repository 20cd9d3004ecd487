"""PURE: dead air at shifts, cut-ins at holds, and the curve between them, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from agent.bench.turn_end_evidence import Asked
from agent.bench.turn_end_policy import Policy
from agent.bench.turn_end_walk import WINDOW_MS
from latency_budget.statistics import Share, Summary, share, summarise

MIN_HOLD_MS = 200.0
"""Shorter pauses are the stops inside words and phrases; commits in them are counted apart."""

RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Tally:
    """One unit of resampling (a call, or a turn): what a policy did in it."""

    dead_air_ms: tuple[float, ...]
    cut_ins: int
    holds: int
    short_cut_ins: int


@dataclass(frozen=True, slots=True)
class Score:
    """What one policy did on all of them."""

    name: str
    tallies: tuple[Tally, ...]

    @property
    def dead_air_ms(self) -> list[float]:
        """From the true end to the commit, one value a shift."""
        return [value for tally in self.tallies for value in tally.dead_air_ms]

    @property
    def mean_ms(self) -> float:
        """Mean dead air."""
        return float(np.mean(self.dead_air_ms)) if self.dead_air_ms else float("nan")

    @property
    def delay(self) -> Summary:
        """Percentiles of the dead air."""
        return summarise(self.dead_air_ms)

    @property
    def cut_ins(self) -> Share:
        """Cut-ins among the holds."""
        holds = sum(tally.holds for tally in self.tallies)
        return share(sum(tally.cut_ins for tally in self.tallies), holds)

    @property
    def short_cut_ins(self) -> int:
        """Cut-ins in pauses that are too short to count as holds."""
        return sum(tally.short_cut_ins for tally in self.tallies)


Calls = Mapping[str, Sequence[Asked]]


def score(policy: Policy, calls: Calls, *, by_turn: bool = False, min_hold_ms: float = MIN_HOLD_MS) -> Score:
    """``policy`` on every silence of ``calls``; units are calls, or turns where the calls are too few."""
    units: dict[tuple[str, int], list[Asked]] = {}
    for name, asked in calls.items():
        for one in asked:
            units.setdefault((name, one.silence.turn if by_turn else 0), []).append(one)
    return Score(policy.name, tuple(_tally(policy, unit, min_hold_ms) for unit in units.values()))


def _tally(policy: Policy, unit: Sequence[Asked], min_hold_ms: float) -> Tally:
    dead: dict[int, float] = {}
    taken: set[int] = set()
    cut_ins = holds = short = 0
    for one in unit:
        silence, commit = one.silence, policy.commit_ms(one)
        lasts = commit <= silence.length_ms + WINDOW_MS  # one window of voice does not yet break the pause
        if silence.kind == "hold":
            is_hold = silence.length_ms >= min_hold_ms
            holds += is_hold
            cut_ins += lasts and is_hold
            short += lasts and not is_hold
        elif silence.turn not in taken:
            # Where a noise breaks the silence first, the decision falls in the silence after it.
            dead[silence.turn] = silence.start_ms + commit - silence.true_end_ms
            if lasts:
                taken.add(silence.turn)
    return Tally(tuple(dead.values()), cut_ins, holds, short)


@dataclass(frozen=True, slots=True)
class Interval:
    """A value and the 95 % range of its resamples; None where no setting reaches the point."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Curve:
    """The best of a family of settings: dead air at a share of cut-ins, and cut-ins at a mean dead air."""

    name: str
    dead_air_ms: dict[float, Interval]
    cut_ins: dict[float, Interval]


def curve(
    name: str,
    family: Sequence[Score],
    *,
    shares: Sequence[float] = (0.02, 0.05, 0.10),
    means_ms: Sequence[float] = (200.0, 300.0, 500.0),
    seed: int = 0,
) -> Curve:
    """Points of the curve of ``family``, whose scores are over the same units, resampled together."""
    dead = np.array([[sum(t.dead_air_ms) for t in one.tallies] for one in family])
    shifts = np.array([len(t.dead_air_ms) for t in family[0].tallies])
    cut = np.array([[t.cut_ins for t in one.tallies] for one in family])
    holds = np.array([t.holds for t in family[0].tallies])
    count = len(shifts)
    rng = np.random.default_rng(seed)
    draws = rng.multinomial(count, np.full(count, 1.0 / count), size=RESAMPLES)
    weights = np.vstack([np.ones(count, dtype=int), draws])
    with np.errstate(invalid="ignore", divide="ignore"):
        means = dead @ weights.T / (weights @ shifts)
        parts = cut @ weights.T / (weights @ holds)
    return Curve(
        name,
        {s: _interval([_least(means[:, i], parts[:, i] <= s) for i in range(len(weights))]) for s in shares},
        {
            m: _interval([_least(parts[:, i], means[:, i] <= m) for i in range(len(weights))])
            for m in means_ms
        },
    )


def _least(values: np.ndarray, allowed: np.ndarray) -> float:
    kept = values[allowed & np.isfinite(values)]
    return float(kept.min()) if kept.size else float("nan")


def _interval(values: Sequence[float]) -> Interval:
    if np.isnan(values[0]):
        return Interval(None, None, None)
    drawn = np.array([v for v in values[1:] if not np.isnan(v)])
    if drawn.size < 0.9 * (len(values) - 1):
        return Interval(
            values[0], None, None
        )  # the point is not reached on many resamples: no range to state
    low, high = np.percentile(drawn, [2.5, 97.5])
    return Interval(values[0], float(low), float(high))
