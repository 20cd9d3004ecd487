"""Holds runs of the same calls against each other, turn by turn. Pure; the first run is what the others are held to.

Latencies are compared over the turns that have one in both runs, and shares over all turns that both have: an agent
that no longer answers its slow turns gets no quicker by it, but misses more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from pydantic import Field

from agent.report.compare_read import apart
from agent.report.compare_statistics import Floats, Resampler, Verdict, verdict
from agent.report.facts import Section
from agent.report.schema import Report
from agent.report.table import flags
from agent.report.turns import Turn
from latency_budget.ledger import Part
from latency_budget.statistics import percentile

MOST_TURNS = 5
LEAST_FOR_P95 = 20
"""With fewer pairs, the 95th percentile is hardly more than the slowest turn."""

Pair = tuple[Turn, Turn]
Value = Callable[[Turn], float | None]


class Line(Section):
    """One figure in both runs. ``difference`` is the second run minus the first."""

    name: str
    unit: Literal["ms", "share"]
    pairs: int
    first: float
    second: float
    difference: float
    interval: tuple[float, float] = Field(description="95 % bootstrap interval of the difference")
    verdict: Verdict = Field(description="noise: the interval holds 0; too few: fewer than 6 pairs differ")


class ChangedTurn(Section):
    """A turn whose latency or outcome changed much. One turn alone proves nothing."""

    call: str
    turn: int
    first: str
    second: str
    difference_ms: int | None


class Pairing(Section):
    """A run against the first one."""

    name: str
    pairs: int = Field(description="turns that both runs have")
    only_first: int
    only_second: int
    drawn: Literal["calls", "turns"] = Field(description="what the bootstrap draws")
    apart: list[str] = Field(description="what else is not the same: machine, configuration, budget")
    lines: list[Line]
    quicker: list[ChangedTurn]
    slower: list[ChangedTurn]
    mended: list[ChangedTurn] = Field(description="cut into or missed in the first run only")
    broken: list[ChangedTurn] = Field(description="cut into or missed in the second run only")


class Comparison(Section):
    """The whole document."""

    schema_version: Literal[1] = Field(1, alias="schema")
    first: str
    others: list[Pairing]


def compare(reports: Sequence[tuple[str, Report]]) -> Comparison:
    """Hold each of ``reports`` (name, report), from the second on, against the first.

    Raises:
        ValueError: fewer than two reports.
    """
    if len(reports) < 2:
        raise ValueError("a comparison takes two reports")
    (first_name, first), *others = reports
    return Comparison(first=first_name, others=[_pairing(name, first, other) for name, other in others])


def _pairing(name: str, first: Report, second: Report) -> Pairing:
    ours = {(turn.call, turn.turn): turn for turn in first.turns}
    theirs = {(turn.call, turn.turn): turn for turn in second.turns}
    pairs = [(turn, theirs[key]) for key, turn in ours.items() if key in theirs]
    resampler = Resampler([one.call for one, _ in pairs])
    timed = [pair for pair in pairs if all(_v2v(turn) is not None for turn in pair)]
    return Pairing(
        name=name,
        pairs=len(pairs),
        only_first=len(ours) - len(pairs),
        only_second=len(theirs) - len(pairs),
        drawn="calls" if resampler.by_call else "turns",
        apart=apart(first, second),
        lines=[*_latencies(timed), *_shares(pairs, resampler)],
        quicker=_changed(timed, -1),
        slower=_changed(timed, 1),
        mended=_turned([pair for pair in pairs if _hurt(pair[0]) and not _hurt(pair[1])]),
        broken=_turned([pair for pair in pairs if _hurt(pair[1]) and not _hurt(pair[0])]),
    )


def _v2v(turn: Turn) -> int | None:
    """As in the report's summary: a turn that the caller overtook has none."""
    return None if turn.overtaken else turn.v2v_ms


def _hurt(turn: Turn) -> bool:
    return turn.cut_in or turn.missed


def _latencies(timed: Sequence[Pair]) -> list[Line]:
    if not timed:
        return []
    resampler = Resampler([one.call for one, _ in timed])
    found = [
        *(
            _point(f"V2V p{p}", timed, _v2v, p, resampler)
            for p in (50, 95)
            if p < 95 or len(timed) >= LEAST_FOR_P95
        ),
        _mean("V2V mean", "ms", timed, _v2v, resampler),
        _mean("onset mean", "ms", timed, lambda turn: turn.onset_ms, resampler),
        _mean("response mean", "ms", timed, lambda turn: turn.response_ms, resampler),
        _mean("endpoint delay mean", "ms", timed, lambda turn: turn.endpoint_delay_ms, resampler),
    ]
    return found + [_mean(f"part: {part}", "ms", timed, _part(part), resampler) for part in Part]


def _part(part: Part) -> Value:
    return lambda turn: getattr(turn.parts_ms, part, 0)


def _shares(pairs: Sequence[Pair], resampler: Resampler) -> list[Line]:
    if not pairs:
        return []
    more = [
        _mean(f"answered within {limit} ms", "share", pairs, _within(limit), resampler, less_is_better=False)
        for limit in (200, 500)
    ]
    less: dict[str, Value] = {
        "cut-ins": lambda turn: turn.cut_in,
        "damaging cut-ins": lambda turn: turn.damaging,
        "missed": lambda turn: turn.missed,
    }
    return more + [_mean(name, "share", pairs, value, resampler) for name, value in less.items()]


def _within(limit: int) -> Value:
    def value(turn: Turn) -> float:
        v2v = _v2v(turn)
        return v2v is not None and v2v <= limit

    return value


def _values(pairs: Sequence[Pair], value: Value) -> tuple[Floats, Floats]:
    """Both runs' values; a pair in which one is absent counts 0 in both."""
    both = [(value(one), value(two)) for one, two in pairs]
    whole = [(0.0, 0.0) if one is None or two is None else (float(one), float(two)) for one, two in both]
    table = np.array(whole, dtype=np.float64)
    return table[:, 0], table[:, 1]


def _mean(
    name: str,
    unit: Literal["ms", "share"],
    pairs: Sequence[Pair],
    value: Value,
    resampler: Resampler,
    *,
    less_is_better: bool = True,
) -> Line:
    one, two = _values(pairs, value)
    rounds = resampler.means(two - one)
    points = (float(one.mean()), float(two.mean()))
    return _line(name, unit, points, resampler.interval(rounds), one, two, less_is_better)


def _point(name: str, pairs: Sequence[Pair], value: Value, percent: float, resampler: Resampler) -> Line:
    one, two = _values(pairs, value)
    rounds = resampler.percentiles(two, percent) - resampler.percentiles(one, percent)
    points = (percentile(one.tolist(), percent), percentile(two.tolist(), percent))
    return _line(name, "ms", points, resampler.interval(rounds), one, two, True)


def _line(
    name: str,
    unit: Literal["ms", "share"],
    points: tuple[float, float],
    ends: tuple[float, float],
    one: Floats,
    two: Floats,
    less_is_better: bool,
) -> Line:
    low, high = (_shown(end, unit) for end in ends)
    return Line(
        name=name,
        unit=unit,
        pairs=len(one),
        first=_shown(points[0], unit),
        second=_shown(points[1], unit),
        difference=_shown(points[1] - points[0], unit),
        interval=(low, high),
        verdict=verdict(low, high, int((one != two).sum()), less_is_better=less_is_better),
    )


def _shown(number: float, unit: Literal["ms", "share"]) -> float:
    """A figure as it is printed, whole ms or a tenth of a per cent: what is claimed can be seen in the print."""
    return round(number, 0 if unit == "ms" else 3) + 0.0  # + 0.0 takes the sign from a zero


def _changed(timed: Sequence[Pair], sign: int) -> list[ChangedTurn]:
    """The turns that changed most in one direction, the most first."""
    found = [_change(pair) for pair in timed]
    found = [turn for turn in found if sign * (turn.difference_ms or 0) > 0]
    return sorted(found, key=lambda turn: -abs(turn.difference_ms or 0))[:MOST_TURNS]


def _turned(pairs: Sequence[Pair]) -> list[ChangedTurn]:
    return [_change(pair) for pair in pairs]


def _change(pair: Pair) -> ChangedTurn:
    one, two = pair
    before, after = _v2v(one), _v2v(two)
    difference = None if before is None or after is None else after - before
    return ChangedTurn(
        call=one.call, turn=one.turn, first=_told(one), second=_told(two), difference_ms=difference
    )


def _told(turn: Turn) -> str:
    latency = "no V2V" if turn.v2v_ms is None else f"{turn.v2v_ms} ms"
    return ", ".join([latency, *flags(turn)])
