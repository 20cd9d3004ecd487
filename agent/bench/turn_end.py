"""``bench turn-end``: every way of deciding on the same silences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from agent.bench.turn_end_evidence import Asked
from agent.bench.turn_end_fused import Fused, HeldOut
from agent.bench.turn_end_policy import Policy, Scheduled, SoundAlone, Timer
from agent.bench.turn_end_score import Curve, Score, curve, score

TIMERS_MS = (200.0, 300.0, 500.0, 800.0, 1000.0, 1500.0, 2000.0, 3000.0)
FEW_CALLS = 8
"""Below this many calls the intervals resample turns, which says less: turns of one caller are alike."""

Group = Mapping[str, Sequence[Asked]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The table of one group of calls."""

    group: str
    calls: int
    shifts: int
    holds: int
    resampled: str
    scores: tuple[Score, ...]
    curves: tuple[Curve, ...]

    def as_json(self) -> dict[str, Any]:
        """The same as plain data."""
        rows = [
            {
                "name": s.name,
                "mean_ms": s.mean_ms,
                "delay_ms": asdict(s.delay),
                "cut_ins": asdict(s.cut_ins),
                "short_cut_ins": s.short_cut_ins,
            }
            for s in self.scores
        ]
        curves = [asdict(one) for one in self.curves]
        return {
            "group": self.group, "calls": self.calls, "shifts": self.shifts, "holds": self.holds,
            "resampled": self.resampled, "policies": rows, "curves": curves,
        }  # fmt: skip


def compare(
    group: str,
    calls: Group,
    weights: HeldOut,
    schedule: Callable[[float | None], float],
    *,
    cut_ins: float,
    timeout_ms: float,
    least_ms: float,
    min_hold_ms: float,
) -> Outcome:
    """Every policy and every curve on ``calls``."""
    by_turn = len(calls) < FEW_CALLS

    def run(policy: Policy) -> Score:
        return score(policy, calls, by_turn=by_turn, min_hold_ms=min_hold_ms)

    ours = Fused(weights, cut_ins, timeout_ms=timeout_ms, least_ms=least_ms)
    named: list[Policy] = [*(Timer(ms) for ms in TIMERS_MS), SoundAlone(), SoundAlone(timeout_ms=1000.0)]
    scores = [run(policy) for policy in (*named, Scheduled(schedule), ours)]
    demanded = np.arange(-4.0, 7.01, 0.1)
    waits = (1400.0, 2000.0, 3000.0, 4000.0)
    shared = ours.traces
    family = [
        run(Fused(weights, 0.0, float(odds), wait, least_ms, shared)) for odds in demanded for wait in waits
    ]
    timers = [run(Timer(float(ms))) for ms in range(96, 4001, 32)]
    sound = [
        run(SoundAlone(threshold, 200.0, wait))
        for threshold in (0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 1.01)
        for wait in (400.0, 600.0, 800.0, 1000.0, 1400.0, 2000.0, 2500.0, 3000.0, 4000.0)
    ]
    total = scores[0]
    return Outcome(
        group,
        len(calls),
        len(total.dead_air_ms),
        total.cut_ins.count,
        "turns" if by_turn else "calls",
        tuple(scores),
        (
            curve("VAD timer", timers),
            curve("smart-turn", sound),
            curve("fused", family),
        ),
    )
