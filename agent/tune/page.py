"""The search as one page: each Pareto front as a chart and a table, and what was chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.report.compare_html import rows
from agent.report.compare_table import claims, pairs_words
from agent.report.html import render
from agent.report.html_scale import axis
from agent.report.write import write_whole
from agent.tune.result import Point, TuneResult, told

LEFT, RIGHT, TOP, BOTTOM = 56.0, 700.0, 12.0, 240.0
PAGE = "tune.html"


@dataclass(frozen=True, slots=True)
class Dot:
    """A judged point in the drawing."""

    x: float
    y: float
    front: bool
    words: str


@dataclass(frozen=True, slots=True)
class Chart:
    """Wait against cut-ins. ``line``: the front's corners as SVG takes them."""

    dots: list[Dot]
    line: str
    x_ticks: list[tuple[float, str]]
    y_ticks: list[tuple[float, str]]
    limit: float | None
    table: list[tuple[Point, str]]


def write_page(result: TuneResult, path: Path) -> None:
    """Write the page in one step. Raises AgentError if that cannot be done."""
    write_whole(path, render_page(result))


def render_page(result: TuneResult) -> str:
    """The page. The same result gives the same bytes."""
    charts = [
        ("Turn end, on recorded silences", chart(result.exact, result)),
        ("Everything else, by replays", chart(result.live, result)),
    ]
    other = result.confirmed.others[0] if result.confirmed else None
    confirmed = other and {
        "words": pairs_words(other),
        "better": claims(other, "better"),
        "worse": claims(other, "worse"),
        "rows": rows(other),
    }
    return render(
        "tune.html.j2",
        {"result": result, "charts": [(title, one) for title, one in charts if one], "confirmed": confirmed},
    )


def chart(points: Sequence[Point], result: TuneResult) -> Chart | None:
    """The points of one search; None without any."""
    if not points:
        return None
    limit = result.cut_ins
    across = axis(max(max(point.cut_ins for point in points), limit, 0.01) * 100, LEFT, RIGHT)
    up = axis(max(point.waited_ms for point in points) or 1.0, BOTTOM, TOP, about=5)
    dots = [
        Dot(across.at(100 * point.cut_ins), up.at(point.waited_ms), point.front, words(point, result))
        for point in points
    ]
    best = sorted(
        (point for point in points if point.front), key=lambda point: (point.cut_ins, point.waited_ms)
    )
    corners: list[str] = []
    lowest = float("inf")
    for point in best:  # of a front in more goals than two, the part that a drawing of two can show
        if point.waited_ms < lowest:
            lowest = point.waited_ms
            corners.append(f"{across.at(100 * point.cut_ins)},{up.at(point.waited_ms)}")
    return Chart(
        sorted(dots, key=lambda dot: dot.front),
        " ".join(corners),
        across.tick_places(),
        up.tick_places(),
        across.at(100 * limit),
        [(point, told(point, result.own)) for point in best],
    )


def words(point: Point, result: TuneResult) -> str:
    """A point's figures and settings."""
    return f"{point.waited_ms:.0f} ms, cut-ins {100 * point.cut_ins:.1f} %: {told(point, result.own)}"
