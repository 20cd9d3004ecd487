"""A comparison as one HTML file, like the report's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.report.compare import Comparison, Line, Pairing
from agent.report.compare_table import changes, claims, difference, pairs_words, span, turn_words, value
from agent.report.html import render
from agent.report.write import write_whole

_WIDTH, _MIDDLE, _REACH = 240.0, 120.0, 112.0


@dataclass(frozen=True, slots=True)
class Row:
    """A figure in words, and its interval as a bar around the middle, in units of the drawing."""

    line: Line
    first: str
    second: str
    difference: str
    span: str
    left: float
    width: float
    at: float


def render_comparison(comparison: Comparison) -> str:
    """The page of a comparison. The same comparison gives the same bytes."""
    others = [
        {
            "name": other.name,
            "words": pairs_words(other),
            "apart": other.apart,
            "better": claims(other, "better"),
            "worse": claims(other, "worse"),
            "rows": rows(other),
            "changes": [(title, [turn_words(turn) for turn in turns]) for title, turns in changes(other)],
        }
        for other in comparison.others
    ]
    return render("compare.html.j2", {"first": comparison.first, "others": others})


def write_comparison(comparison: Comparison, path: Path) -> None:
    """Write the page in one step. Raises AgentError if that cannot be done."""
    write_whole(path, render_comparison(comparison))


def rows(other: Pairing) -> list[Row]:
    """The figures; bars of one unit share one scale, so that they can be held against each other."""
    scale = {unit: _scale([line for line in other.lines if line.unit == unit]) for unit in ("ms", "share")}
    return [_row(line, scale[line.unit]) for line in other.lines]


def _scale(lines: Sequence[Line]) -> float:
    """Units of the drawing for 1 ms, or for a share of 1."""
    most = max((abs(end) for line in lines for end in (*line.interval, line.difference)), default=0.0)
    return _REACH / most if most else 0.0


def _row(line: Line, scale: float) -> Row:
    low, high = (round(_MIDDLE + scale * end, 1) for end in line.interval)
    return Row(
        line=line,
        first=value(line, line.first),
        second=value(line, line.second),
        difference=difference(line),
        span=span(line),
        left=low,
        width=round(max(high - low, 1.0), 1),
        at=round(_MIDDLE + scale * line.difference, 1),
    )
