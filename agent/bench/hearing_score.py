"""What a run of hearing was worth. Pure: what was noted goes in, figures come out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TypedDict

from agent.bench.hearing_live import HIDDEN_MS, Arrived, Live
from latency_budget.statistics import percentile, share
from stages.asr.wer import normalise, word_errors


class Spread(TypedDict):
    """Median, 90th and 95th percentile of ``n`` values; null where there are none."""

    n: int
    p50: float | None
    p90: float | None
    p95: float | None


class LiveFigures(TypedDict):
    """One run of hearing in real time."""

    turns: int
    dropped: int
    partials: int
    partial_every_ms: Spread
    partial_delay_ms: Spread
    final_delay_ms: Spread
    words_stable_at_pause: float | None
    stable_words_kept: float | None
    hidden: float | None
    hidden_95: tuple[float, float] | None
    cpu_speaking: float | None
    cpu_idle: float | None
    speaking_s: float
    failures: list[str]


def live_figures(live: Live) -> LiveFigures:
    """The figures of ``live``."""
    hidden = share(sum(end - there >= HIDDEN_MS for _, there, end, _ in live.ended), len(live.ended))
    stable, kept = _stable(live)
    return LiveFigures(
        turns=len(live.ended),
        dropped=live.dropped,
        partials=len(live.partials),
        partial_every_ms=spread(_paces(live.partials)),
        partial_delay_ms=spread([p.at_ms - p.covers_ms for p in live.partials]),
        final_delay_ms=spread([at - covers for _, covers, at, text in live.finals if text]),
        words_stable_at_pause=stable,
        stable_words_kept=kept,
        hidden=None if hidden.value is None else round(hidden.value, 3),
        hidden_95=(
            None
            if hidden.low is None or hidden.high is None
            else (round(hidden.low, 3), round(hidden.high, 3))
        ),
        cpu_speaking=_per_second(live.speaking),
        cpu_idle=_per_second(live.idle),
        speaking_s=round(live.speaking[1], 1),
        failures=live.failures,
    )


def spread(values: Sequence[float]) -> Spread:
    """Percentiles to a tenth."""
    if not values:
        return Spread(n=0, p50=None, p90=None, p95=None)
    low, high, higher = (round(percentile(values, q), 1) for q in (50, 90, 95))
    return Spread(n=len(values), p50=low, p90=high, p95=higher)


def _paces(partials: Sequence[Arrived]) -> list[float]:
    """Audio between one partial and the next of the same turn."""
    pairs = pairwise(partials)
    return [b.covers_ms - a.covers_ms for a, b in pairs if a.turn == b.turn]


def _stable(live: Live) -> tuple[float | None, float | None]:
    """Of all words of final texts, the share that was stable before; of all stable words, the share that stayed."""
    said = ready = stable = wrong = 0
    for turn, _, at, text in live.finals:
        before = [p for p in live.partials if p.turn == turn and p.at_ms <= at]
        words = normalise(text)
        known = normalise(before[-1].stable) if before else []
        if not words:
            continue
        said, stable = said + len(words), stable + len(known)
        errors = min(word_errors(words[:end], known) for end in _ends(len(words), len(known)))
        wrong += min(errors, len(known))
        ready += max(0, min(len(words), len(known)) - errors)
    return _ratio(ready, said), _ratio(stable - wrong, stable)


def _ends(words: int, known: int) -> range:
    return range(max(0, min(words, known) - 3), min(words, known + 3) + 1)


def _ratio(part: int, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None


def _per_second(cpu: Sequence[float]) -> float | None:
    return round(cpu[0] / cpu[1], 3) if cpu[1] else None
