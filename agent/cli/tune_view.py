"""What a person sees while a search runs, and the table at its end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console, RenderableType
from rich.markup import escape
from rich.progress import TaskID
from rich.table import Table
from rich.text import Text

from agent.cli.replay_view import ReplayView
from agent.report.compare_table import print_comparison
from agent.report.schema import Turn
from agent.tune.result import Point, TuneResult, told

MOST_ROWS = 12


class TuneView(ReplayView):
    """A bar for the stage above the one for the call; where stderr is no terminal, lines."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self._stage: TaskID | None = None
        self._done = self._total = 0

    def stage(self, title: str, total: int) -> None:
        """See TuneWatcher."""
        for task in (self._task, self._stage):
            if task is not None:
                self._bar.remove_task(task)
        self._task, self._done, self._total = None, 0, total
        self._stage = self._bar.add_task(escape(title), total=total, unit="")
        self.say(f"{title} ...")

    def step(self, point: Point | None) -> None:
        """See TuneWatcher."""
        self._done += 1
        if self._stage is not None:
            self._bar.update(self._stage, completed=self._done)
        if point is not None:
            self.say(f"  {self._done} of {self._total}: {_figures(point)}")

    def call_begins(self, name: str, seconds: float) -> None:
        """See Watcher: a search replays too many calls for a line each."""
        self.show_call(f"  {name}", seconds)

    def turn(self, row: Turn) -> None:
        """See Watcher: a trial's turns are in its folder."""


def print_result(result: TuneResult, console: Console) -> None:
    """Print both fronts, the confirmation, and what was written."""
    for part in _parts(result):
        console.print(part)
    if result.confirmed is not None:
        print_comparison(result.confirmed, console)
    console.print(Text(result.why, style="bold"))
    if result.kept == "tuned":
        for change in result.changes:
            console.print(Text(f"  {change.key}: {change.before} -> {change.after}"))


def _parts(result: TuneResult) -> Iterator[RenderableType]:
    if result.exact:
        yield from _front("Turn end, on recorded silences: the front", result.exact, result.own)
    for name, point in zip(("before", "after"), result.expected, strict=False):
        yield Text(f"held-back silences, {name}: {_figures(point)}")
    if result.live:
        yield Text()
        yield from _front("Everything else, by replays: the front", result.live, result.own)
    if result.before is not None:
        before = result.before
        yield Text(
            f"the settings as they were: waited {before.waited_ms:.0f} ms, within {100 * before.within:.0f} %, "
            f"cut-ins {100 * before.cut_ins:.1f} %, missed {100 * before.missed:.1f} %, {before.turns} turns\n"
        )


def _front(title: str, points: Sequence[Point], own: Mapping[str, Any]) -> Iterator[RenderableType]:
    best = sorted(
        (point for point in points if point.front), key=lambda point: (point.cut_ins, point.waited_ms)
    )
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 2, 0, 0), pad_edge=False, show_edge=False)
    for name in ("cut-ins", "waited", "within", "quality", "CPU s/s"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("settings")
    for point in best[:MOST_ROWS]:
        table.add_row(*_cells(point), told(point, own))
    yield Text(title, style="bold")
    yield table
    if len(best) > MOST_ROWS:
        yield Text(f"and {len(best) - MOST_ROWS} more in tune.json and tune.html")


def _cells(point: Point) -> tuple[str, ...]:
    return (
        f"{100 * point.cut_ins:.1f} %",
        f"{point.waited_ms:.0f} ms",
        f"{100 * point.within:.0f} %",
        "-" if point.quality is None else f"{100 * point.quality:.0f} %",
        "-" if point.cpu is None else f"{point.cpu:.2f}",
    )


def _figures(point: Point) -> str:
    cut_ins, waited, within, *_ = _cells(point)
    return f"waited {waited}, within the budget {within}, cut-ins {cut_ins}"
