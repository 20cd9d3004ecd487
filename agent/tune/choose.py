"""PURE: which of the judged points is the best, which calls are held back, and whether a gain is proven."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from agent.report.compare import Comparison
from agent.tune.result import Point
from agent.tune.search import front

LESS_QUALITY = 0.02
"""What a trial may lose in expected share of right answers."""

SLOWER = "V2V mean"
HURTS = (SLOWER, "cut-ins", "damaging cut-ins", "missed")
Item = TypeVar("Item")


def hold_back(calls: Sequence[Item]) -> tuple[list[Item], list[Item]]:
    """The calls to search on and the calls to confirm on: of four and more every third, of fewer the last."""
    if len(calls) < 2:
        return list(calls), []
    held = range(2, len(calls), 3) if len(calls) >= 4 else [len(calls) - 1]
    return [call for at, call in enumerate(calls) if at not in held], [calls[at] for at in held]


def quickest(lengths_s: Sequence[float], most_s: float) -> list[int]:
    """The indices of the shortest calls that together last no longer than ``most_s``; one at least."""
    found: list[int] = []
    total = 0.0
    for at in sorted(range(len(lengths_s)), key=lambda one: lengths_s[one]):
        total += lengths_s[at]
        if found and total > most_s:
            break
        found.append(at)
    return sorted(found)


def goals(point: Point) -> list[float]:
    """What the search makes small. An unknown quality or cost is the same for all."""
    quality = 0.0 if point.quality is None else 1.0 - point.quality
    return [point.cut_ins, point.waited_ms, 1.0 - point.within, quality, point.cpu or 0.0]


def marked(points: Sequence[Point]) -> list[Point]:
    """The points with the front marked; of points that are worth the same, the first."""
    worth = [goals(point) for point in points]
    best = {at for at in front(worth) if worth.index(worth[at]) == at}
    return [point.model_copy(update={"front": at in best}) for at, point in enumerate(points)]


def best_of(points: Sequence[Point], cut_ins: float) -> Point:
    """Most turns within the budget among the points that keep the limit, then the shortest wait; the fewest cut-ins
    if none keeps it."""
    kept = [point for point in points if point.cut_ins <= cut_ins]
    if not kept:
        return min(points, key=lambda point: (point.cut_ins, point.waited_ms))
    return min(kept, key=lambda point: (-point.within, point.waited_ms))


def best_live(points: Sequence[Point], cut_ins: float) -> Point:
    """The quickest trial that cuts in no more than the limit or than the first one, and is worth about as much."""
    first = points[0]
    allowed = max(cut_ins, first.cut_ins)
    worth = None if first.quality is None else first.quality - LESS_QUALITY
    kept = [
        point
        for point in points
        if point.cut_ins <= allowed and (worth is None or point.quality is None or point.quality >= worth)
    ]
    return min(kept, key=lambda point: point.waited_ms)


def verdict(confirmed: Comparison, *, broke_limit: bool) -> tuple[bool, str]:
    """Whether the tuned settings may be kept, and why, in a sentence.

    ``broke_limit``: the settings as they were cut in more than is accepted; fewer cut-ins may then cost time.
    """
    lines = {line.name: line for line in confirmed.others[0].lines}
    worse = [name for name in HURTS if name in lines and lines[name].verdict == "worse"]
    if broke_limit and worse == [SLOWER] and lines["cut-ins"].difference <= 0.0:
        return True, "Slower, as replays show: the settings as they were cut in more than is accepted."
    if worse:
        return False, f"Left as it was: replays showed that it got worse in {', '.join(worse)}."
    better = [name for name in ("V2V p50", *HURTS) if name in lines]
    better = [name for name in better if lines[name].verdict == "better"]
    if better:
        return True, f"Replays bear out the gain in {', '.join(better)}."
    return True, "Nothing is proven: replays before and after differ by no more than chance."


def plain(values: dict[str, Any]) -> dict[str, Any]:
    """Settings as people write them: floats to four digits, whole ones without a point."""
    return {key: _plain(value) for key, value in values.items()}


def _plain(value: Any) -> Any:
    if not isinstance(value, float):
        return value
    return int(value) if value.is_integer() else round(value, 4)
