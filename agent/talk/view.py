"""What a person sees of a conversation. The plain view prints lines; the live one keeps a small panel under them."""

from __future__ import annotations

from typing import Protocol

from rich.console import Console, Group
from rich.live import Live
from rich.markup import escape
from rich.panel import Panel
from rich.text import Text

from agent.report.schema import Turn

BAR = 40
COLOURS = {
    "endpoint": "blue",
    "asr": "cyan",
    "decision": "white",
    "model": "magenta",
    "tts": "yellow",
    "output": "green",
}
LOUDEST_DB, QUIETEST_DB = 0.0, -60.0
METER = 20


class TalkView(Protocol):
    """Who is told what happens in a conversation."""

    def say(self, line: str) -> None:
        """A line for people."""

    def state(self, what: str) -> None:
        """What the agent does now: listening, hearing, thinking, speaking."""

    def heard(self, text: str, *, final: bool) -> None:
        """The caller's words so far, or all of them."""

    def said(self, text: str) -> None:
        """A piece of the reply begins to sound."""

    def level(self, dbfs: float) -> None:
        """How loud the microphone is."""

    def turn(self, row: Turn) -> None:
        """A turn is finished."""

    def close(self) -> None:
        """The conversation is over."""


def budget_bar(row: Turn, budget_ms: float) -> Text:
    """The turn's latency as a bar whose width is the budget, a colour a part, and the parts in words."""
    if row.v2v_ms is None or row.parts_ms is None:
        return Text("no answer" if row.missed else "no latency")
    bar, words = Text("["), []
    for name, colour in COLOURS.items():
        took = getattr(row.parts_ms, name)
        bar.append("#" * round(max(0, took) / budget_ms * BAR), style=colour)
        if took:
            words.append(f"{name} {took}")
    bar.append("." * max(0, BAR - (len(bar.plain) - 1)) + "]")
    return bar.append(f" {row.v2v_ms} ms = {' + '.join(words)}", style="default")


def meter(dbfs: float) -> str:
    """A level as a bar of twenty cells from -60 dBFS to full scale."""
    share = (dbfs - QUIETEST_DB) / (LOUDEST_DB - QUIETEST_DB)
    cells = round(min(1.0, max(0.0, share)) * METER)
    return "|" * cells + " " * (METER - cells)


class PlainView:
    """Lines for logs and screen readers: nothing is drawn twice, nothing depends on colour."""

    def __init__(self, console: Console, budget_ms: float) -> None:
        self._console, self._budget_ms = console, budget_ms

    def say(self, line: str) -> None:
        """A line for people."""
        self._console.print(escape(line), highlight=False, soft_wrap=True)

    def state(self, what: str) -> None:
        """States come too often for lines."""

    def heard(self, text: str, *, final: bool) -> None:
        """Only whole turns."""
        if final:
            self.say(f"you:   {text}")

    def said(self, text: str) -> None:
        """Piece by piece."""
        self.say(f"agent: {text}")

    def level(self, dbfs: float) -> None:
        """No meter."""

    def turn(self, row: Turn) -> None:
        """The budget in words."""
        self.say(f"  turn {row.turn}: {budget_bar(row, self._budget_ms).plain} ({row.path or '-'})")

    def close(self) -> None:
        """Nothing is held."""


class LiveView(PlainView):
    """The same lines, and under them what is heard and said just now."""

    def __init__(self, console: Console, budget_ms: float) -> None:
        super().__init__(console, budget_ms)
        self._state, self._you, self._dbfs = "listening", "", QUIETEST_DB
        self._live = Live(self._panel(), console=console, refresh_per_second=8, transient=True)
        self._live.start()

    def state(self, what: str) -> None:
        """Shown in the panel."""
        self._state = what
        self._draw()

    def heard(self, text: str, *, final: bool) -> None:
        """Words as they come; a whole turn becomes a line."""
        self._you = "" if final else text
        if final:
            self._console.print(Text.assemble(("you    ", "bold cyan"), text))
        self._draw()

    def said(self, text: str) -> None:
        """A line a piece."""
        self._console.print(Text.assemble(("agent  ", "bold green"), text))

    def level(self, dbfs: float) -> None:
        """Moves the meter."""
        self._dbfs = dbfs
        self._draw()

    def turn(self, row: Turn) -> None:
        """The budget bar."""
        self._console.print(
            Text.assemble("       ", budget_bar(row, self._budget_ms), (f"  {row.path or '-'}", "dim"))
        )

    def close(self) -> None:
        """Take the panel away."""
        self._live.stop()

    def _draw(self) -> None:
        self._live.update(self._panel())

    def _panel(self) -> Panel:
        head = Text.assemble((f"{self._state:<10}", "bold"), meter(self._dbfs), ("  Ctrl-C ends", "dim"))
        return Panel(Group(head, Text(self._you or " ", overflow="ellipsis", no_wrap=True)), title="Budgie")
