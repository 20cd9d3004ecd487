"""The charts of what was foretold and of the wait against a timer's, as places in a drawing. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agent.report.foretold import pairs
from agent.report.html_charts import BOTTOM, LEFT, RIGHT, TOP
from agent.report.html_scale import Axis, axis
from agent.report.schema import Endpointing
from agent.report.turns import Turn


@dataclass(frozen=True, slots=True)
class Dot:
    """A point, with what it means for those who point at it."""

    x: float
    y: float
    title: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Scatter:
    """Onsets over their forecasts; ``equal`` is the far end of the line on which both are the same."""

    x: Axis
    y: Axis
    dots: tuple[Dot, ...]
    equal: tuple[float, float]
    limits: tuple[tuple[float, str], ...] = ()


def scatter(turns: Sequence[Turn]) -> Scatter | None:
    """Each foretold turn as a dot; None where none was foretold."""
    found = pairs(turns)
    if not found:
        return None
    high = max(1.0, *(value for foretold, onset, _, _ in found for value in (foretold, onset)))
    x, y = axis(high, LEFT, RIGHT), axis(high, BOTTOM, TOP, about=4)
    dots = tuple(
        Dot(
            x.at(foretold),
            y.at(onset),
            f"{turn.call} turn {turn.turn}: foretold {foretold:.0f} ms, heard after {onset:.0f} ms",
            "late" if late is not None and onset > late else "",
        )
        for foretold, onset, late, turn in found
    )
    same = min(x.high, y.high)
    return Scatter(x, y, dots, (x.at(same), y.at(same)))


@dataclass(frozen=True, slots=True)
class Curve:
    """Share of turns cut into over the wait: the timer's steps, and where this run lies."""

    x: Axis
    y: Axis
    steps: str
    dots: tuple[Dot, ...]
    limits: tuple[tuple[float, str], ...] = ()


def curve(found: Endpointing | None) -> Curve | None:
    """The endpointing curve; None without turns."""
    if found is None:
        return None
    x = axis(max(found.timer[-1].silence_ms, found.mean_delay_ms or 0.0), LEFT, RIGHT)
    y = Axis(100.0, BOTTOM, TOP, (0, 25, 50, 75, 100))
    steps = " ".join(f"{x.at(one.silence_ms):g},{y.at(100 * one.cut_ins):g}" for one in found.timer)
    dots: tuple[Dot, ...] = ()
    if found.mean_delay_ms is not None and found.cut_ins is not None:
        title = f"this run: {found.mean_delay_ms:.0f} ms, {100 * found.cut_ins:.1f} % cut into"
        dots = (Dot(x.at(found.mean_delay_ms), y.at(100 * found.cut_ins), title),)
    return Curve(x, y, steps, dots)
