"""A comparison as people read it in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from agent.report.compare import ChangedTurn, Comparison, Line, Pairing
from agent.report.table import plain

_STYLES = {"better": "green", "worse": "red", "noise": "dim", "too few": "dim"}


def print_comparison(comparison: Comparison, console: Console) -> None:
    """Print a comparison; made for 100 columns."""
    for part in render(comparison):
        console.print(part)


def render(comparison: Comparison) -> Iterator[RenderableType]:
    """Every run against the first: figures with intervals, then what may be claimed, then single turns."""
    for other in comparison.others:
        yield Text(f"{plain(comparison.first)}  ->  {plain(other.name)}", style="bold")
        yield Text(pairs_words(other))
        for line in other.apart:
            yield Text(f"not the same: {plain(line)}", style="yellow")
        yield _table(other.lines)
        for name in ("better", "worse"):
            yield Text(f"{name}: {claims(other, name)}", style=_STYLES[name])
        yield Text("Everything else is noise, or too few turns to tell.")
        for title, turns in changes(other):
            yield Text(f"\n{title}", style="bold")
            yield from (Text(f"  {turn_words(turn)}") for turn in turns)
        yield Text()


def pairs_words(other: Pairing) -> str:
    """How much the comparison rests on."""
    only = [f"{other.only_first} turns only in the first", f"{other.only_second} only in the second"]
    alone = f" ({', '.join(only)})" if other.only_first or other.only_second else ""
    return f"{other.pairs} turns in both{alone}; 95 % intervals from a bootstrap over {other.drawn}"


def claims(other: Pairing, name: str) -> str:
    """The figures of one verdict, e.g. ``V2V p50 -120 ms (-150 to -90)``; ``nothing`` if there are none."""
    found = [f"{line.name} {difference(line)} ({span(line)})" for line in other.lines if line.verdict == name]
    return ", ".join(found) or "nothing"


def changes(other: Pairing) -> list[tuple[str, list[ChangedTurn]]]:
    """The lists of single turns that are not empty, with their titles."""
    lists = [
        ("No longer cut into or missed", other.mended),
        ("Cut into or missed now", other.broken),
        ("Quicker turns (one turn alone proves nothing)", other.quicker),
        ("Slower turns (one turn alone proves nothing)", other.slower),
    ]
    return [(title, turns) for title, turns in lists if turns]


def turn_words(turn: ChangedTurn) -> str:
    """One changed turn."""
    change = "" if turn.difference_ms is None else f" ({turn.difference_ms:+d} ms)"
    return f"{plain(turn.call)} {turn.turn}: {turn.first} -> {turn.second}{change}"


def value(line: Line, number: float) -> str:
    """A figure with its unit."""
    return f"{number:.0f} ms" if line.unit == "ms" else f"{100 * number:.1f} %"


def difference(line: Line) -> str:
    """The difference with its sign and unit; shares differ by percentage points."""
    return f"{line.difference:+.0f} ms" if line.unit == "ms" else f"{100 * line.difference:+.1f} pp"


def span(line: Line) -> str:
    """The interval of the difference."""
    scale, digits = (1, 0) if line.unit == "ms" else (100, 1)
    low, high = (scale * end for end in line.interval)
    return f"{low:+.{digits}f} to {high:+.{digits}f}"


def _table(lines: Sequence[Line]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 2, 0, 0), pad_edge=False, show_edge=False)
    table.add_column("", no_wrap=True)
    for title in ("first", "second", "difference", "95 %", "n"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for line in lines:
        cells = (
            value(line, line.first),
            value(line, line.second),
            difference(line),
            span(line),
            str(line.pairs),
        )
        table.add_row(line.name, *cells, line.verdict, style=_STYLES[line.verdict])
    return table
