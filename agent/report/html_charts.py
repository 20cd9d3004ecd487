"""The charts of the HTML report as places in a drawing: distributions and waterfalls. Pure; templates draw them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from agent.report.html_scale import Axis, axis, round_step
from agent.report.turns import Turn
from latency_budget.ledger import Part
from latency_budget.marks import Mark

WIDTH = 480.0
LEFT, RIGHT = 44.0, 468.0
TOP, BOTTOM = 18.0, 170.0
MOST_BINS = 30

WATERFALL_WIDTH = 960.0
ROW = 22.0
WATERFALL_LEFT, WATERFALL_RIGHT = 56.0, 780.0


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle, with what it means for those who point at it."""

    x: float
    y: float
    width: float
    height: float
    title: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Distribution:
    """A histogram and, on the same axis, the share of the values up to each one.

    Attributes:
        x: the axis of the values, in ms.
        counts: the axis of the histogram's counts.
        bars: the histogram.
        curve: corners of the ECDF as ``x,y`` pairs; it steps from 0 to 1.
        limits: place and words of the lines that mark a limit.
        count: how many values.
        bin_ms: width of a bar.
        negative: values below 0, which the first bar and the curve's first step hold.
    """

    x: Axis
    counts: Axis
    bars: tuple[Box, ...]
    curve: str
    limits: tuple[tuple[float, str], ...]
    count: int
    bin_ms: float
    negative: int

    @property
    def shares(self) -> list[tuple[float, str]]:
        """Ticks of the ECDF."""
        scale = Axis(100.0, BOTTOM, TOP, (0, 25, 50, 75, 100))
        return scale.tick_places()


def distribution(values: Sequence[int], limits: Sequence[tuple[float, str]] = ()) -> Distribution | None:
    """The distribution of ``values`` in ms, with ``limits`` (ms, words) marked; None without values."""
    if not values:
        return None
    high = max(1.0, *values, *(1.1 * limit for limit, _ in limits))
    x = axis(high, LEFT, RIGHT)
    width = round_step(x.high, MOST_BINS)
    bins = [0] * math.ceil(x.high / width)
    for value in values:
        bins[min(max(math.floor(value / width), 0), len(bins) - 1)] += 1
    counts = axis(max(bins), BOTTOM, TOP, about=min(4, max(bins)))
    bars = tuple(_bar(x, counts, index * width, width, found) for index, found in enumerate(bins) if found)
    places = tuple((x.at(limit), words) for limit, words in limits)
    negative = sum(value < 0 for value in values)
    return Distribution(x, counts, bars, _curve(values, x), places, len(values), width, negative)


def _bar(x: Axis, counts: Axis, low: float, width: float, found: int) -> Box:
    left, right, top = x.at(low), x.at(low + width), counts.at(found)
    title = f"{low:g} to {low + width:g} ms: {found}"
    return Box(left, top, round(max(right - left - 1, 1), 1), round(BOTTOM - top, 1), title)


def _curve(values: Sequence[int], x: Axis) -> str:
    up = Axis(len(values), BOTTOM, TOP, ())
    corners = [f"{x.start:g},{BOTTOM:g}"]
    for count, value in enumerate(sorted(values)):
        corners += [f"{x.at(value):g},{up.at(count):g}", f"{x.at(value):g},{up.at(count + 1):g}"]
    corners.append(f"{x.stop:g},{TOP:g}")
    return " ".join(corners)


@dataclass(frozen=True, slots=True)
class WaterfallRow:
    """One turn: where its row lies, its parts, and the words after (or instead of) them."""

    turn: int
    y: float
    parts: tuple[Box, ...]
    words_x: float
    words: str
    at_s: float
    late: bool


@dataclass(frozen=True, slots=True)
class Waterfall:
    """Every turn of a call by parts, one below the other."""

    x: Axis
    rows: tuple[WaterfallRow, ...]
    height: float
    limits: tuple[tuple[float, str], ...]


def waterfall(turns: Sequence[Turn], limits: Sequence[tuple[float, str]]) -> Waterfall:
    """The waterfall of a call's turns, with ``limits`` (ms, words) marked."""
    longest = max((turn.v2v_ms or 0 for turn in turns), default=0)
    x = axis(
        max(1.0, longest, *(1.1 * limit for limit, _ in limits)), WATERFALL_LEFT, WATERFALL_RIGHT, about=10
    )
    rows = tuple(_row(turn, x, 20 + ROW * index) for index, turn in enumerate(turns))
    places = tuple((x.at(limit), words) for limit, words in limits)
    return Waterfall(x, rows, 20 + ROW * len(rows) + 22, places)


def _row(turn: Turn, x: Axis, y: float) -> WaterfallRow:
    boxes, reached = [], 0
    for part in Part if turn.parts_ms is not None else ():
        length = getattr(turn.parts_ms, part)
        if length:
            left = x.at(reached)
            width = round(x.at(reached + length) - left, 1)
            boxes.append(Box(left, y + 3, width, ROW - 6, f"{part}: {length} ms", part))
        reached += length
    words_x = x.at(reached) + 6
    late = turn.budget_met is False
    return WaterfallRow(turn.turn, y, tuple(boxes), words_x, _row_words(turn), begins_s(turn), late)


def begins_s(turn: Turn) -> float:
    """Where a turn begins in its recording, in seconds."""
    return round(turn.marks.get(Mark.SPEECH_START, 0.0) / 1000, 3)


def _row_words(turn: Turn) -> str:
    if turn.v2v_ms is not None:
        return f"{turn.v2v_ms} ms" + (", cut in before" if turn.cut_in else "")
    states = {
        "impossible marks": turn.fault is not None,
        "missed": turn.missed,
        "cut-in": turn.cut_in,
        "overtaken": turn.overtaken,
    }
    return next((words for words, so in states.items() if so), "no latency")
