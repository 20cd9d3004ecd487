"""What a person sees while a call is replayed: how far it has come, and each turn as it finishes."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from agent.report.schema import Turn


class ReplayView:
    """A progress bar and lines above it, on stderr. Plain lines where stderr is no terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed:.0f} of {task.total:.0f}{task.fields[unit]}"),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def say(self, line: str) -> None:
        """A line for people."""
        self._console.print(escape(line), highlight=False)

    def call_begins(self, name: str, seconds: float) -> None:
        """A call is about to be fed."""
        self.say(f"Replaying {name}: {seconds:.0f} s of audio in real time ...")
        self.show_call(name, seconds)

    def show_call(self, name: str, seconds: float) -> None:
        """The bar stands for this call."""
        if self._task is not None:
            self._bar.remove_task(self._task)
        self._task = self._bar.add_task(escape(name), total=seconds, unit=" s")

    def position(self, seconds: float) -> None:
        """How far the call has come."""
        if self._task is not None:
            self._bar.update(self._task, completed=seconds)

    def turn(self, row: Turn) -> None:
        """A turn is finished."""
        latency = "missed" if row.missed else "-" if row.v2v_ms is None else f"{row.v2v_ms} ms"
        flags = " CUT-IN" if row.cut_in else ""
        self.say(f"  turn {row.turn:>2}  {latency:>7}{flags}  {row.heard!r} -> {row.said!r}")
