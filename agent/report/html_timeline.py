"""A call as a timeline, cut into lines that fit a page: both voices, pauses, turn ends, waits. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agent.report.html_charts import Box
from agent.report.html_scale import Axis, axis
from agent.report.turns import Turn, UnmatchedRow
from latency_budget.exchange import Span
from latency_budget.marks import Mark

LINE_S = 30.0
WIDTH, LEFT, RIGHT = 960.0, 64.0, 952.0
HEIGHT = 74.0
CALLER_Y, WAIT_Y, AGENT_Y, VOICE = 16.0, 31.0, 38.0, 14.0
_WAIT_HEIGHT = 6.0
_LEAST = 1.0
"""No span is drawn narrower, or it would not be seen."""


@dataclass(frozen=True, slots=True)
class Note:
    """A moment with a word at it."""

    x: float
    words: str
    title: str
    kind: str


@dataclass(frozen=True, slots=True)
class Line:
    """``LINE_S`` seconds of a call, from ``start_s``."""

    start_s: float
    ticks: tuple[tuple[float, str], ...]
    boxes: tuple[Box, ...]
    notes: tuple[Note, ...]


@dataclass(frozen=True, slots=True)
class _Piece:
    """A span of the call before it is cut into lines, in ms."""

    span: Span
    y: float
    height: float
    title: str
    kind: str


def timeline(seconds: float, turns: Sequence[Turn], unmatched: Sequence[UnmatchedRow]) -> tuple[Line, ...]:
    """The lines of a call of ``seconds``; longer where a reply ends after it."""
    pieces = [piece for turn in turns for piece in _turn_pieces(turn)]
    pieces += [
        _Piece(span, AGENT_Y, VOICE, f"agent, to no turn ({row.reason}): {row.said}", "stray")
        for row in unmatched
        for span in row.audible_ms
    ]
    moments = [moment for turn in turns for moment in _moments(turn)]
    last_ms = max([1000 * seconds, *(piece.span[1] for piece in pieces)])
    count = max(1, math.ceil(last_ms / (1000 * LINE_S)))
    return tuple(_line(index * LINE_S, pieces, moments) for index in range(count))


def _turn_pieces(turn: Turn) -> Iterable[_Piece]:
    start, end = turn.marks.get(Mark.SPEECH_START), turn.marks.get(Mark.SPEECH_END)
    if start is None or end is None:
        return
    words = turn.reference or turn.heard
    for span in _voiced(start, end, turn.holds_ms):
        yield _Piece(span, CALLER_Y, VOICE, f"caller, turn {turn.turn}: {words}", "caller")
    for hold in turn.holds_ms:
        yield _Piece(
            hold,
            CALLER_Y + 5,
            VOICE - 10,
            f"pause inside turn {turn.turn}: {hold[1] - hold[0]:.0f} ms",
            "hold",
        )
    cuts = {cut.at_ms for cut in turn.cut_ins}
    for span in turn.audible_ms:
        kind = "cutin" if span[0] in cuts else "agent"
        yield _Piece(span, AGENT_Y, VOICE, f"agent, turn {turn.turn}: {turn.said}", kind)
    content = turn.marks.get(Mark.FIRST_CONTENT)
    if turn.v2v_ms is not None and content is not None and content > end:
        yield _Piece(
            (end, content), WAIT_Y, _WAIT_HEIGHT, f"V2V of turn {turn.turn}: {turn.v2v_ms} ms", "wait"
        )


def _voiced(start: float, end: float, holds: Iterable[Span]) -> Iterable[Span]:
    for hold in holds:
        yield start, hold[0]
        start = hold[1]
    yield start, end


def _moments(turn: Turn) -> Iterable[tuple[float, str, str, str]]:
    """Time in ms, the word drawn, the explanation, and the kind of each moment of a turn."""
    if (start := turn.marks.get(Mark.SPEECH_START)) is not None:
        yield start, str(turn.turn), f"turn {turn.turn} begins", "number"
    if (end := turn.marks.get(Mark.TURN_END)) is not None:
        why = "" if turn.decision is None else f" ({turn.decision.why})"
        delay = (
            "" if turn.endpoint_delay_ms is None else f", {turn.endpoint_delay_ms} ms after the last sound"
        )
        yield end, "", f"the agent took turn {turn.turn} for over{delay}{why}", "decided"


def _line(start_s: float, pieces: Iterable[_Piece], moments: Iterable[tuple[float, str, str, str]]) -> Line:
    place = axis(LINE_S, LEFT, RIGHT, about=6)
    low, high = 1000 * start_s, 1000 * (start_s + LINE_S)
    boxes = [
        _box(piece, place, low, high) for piece in pieces if piece.span[1] > low and piece.span[0] < high
    ]
    notes = [
        Note(place.at((at - low) / 1000), words, title, kind)
        for at, words, title, kind in moments
        if low <= at < high
    ]
    ticks = tuple((place.at(tick), clock(start_s + tick)) for tick in place.ticks[:-1])
    return Line(start_s, ticks, tuple(boxes), tuple(notes))


def _box(piece: _Piece, place: Axis, low: float, high: float) -> Box:
    left = place.at((max(piece.span[0], low) - low) / 1000)
    right = place.at((min(piece.span[1], high) - low) / 1000)
    return Box(left, piece.y, round(max(right - left, _LEAST), 1), piece.height, piece.title, piece.kind)


def clock(seconds: float) -> str:
    """``seconds`` as minutes and seconds, e.g. 1:05."""
    whole = round(seconds)
    return f"{whole // 60}:{whole % 60:02d}"
