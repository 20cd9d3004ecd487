"""The report as people read it in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from agent.report.facts import Call
from agent.report.overview import headline, path_word, summary_table
from agent.report.schema import Report
from agent.report.turns import Turn, UnmatchedRow

_PARTS = (
    ("end", "endpoint"),
    ("asr", "asr"),
    ("dec", "decision"),
    ("mod", "model"),
    ("tts", "tts"),
    ("out", "output"),
)
"""Column titles and the parts of V2V in them; the six columns sum to the V2V column."""


def print_report(report: Report, console: Console) -> None:
    """Print a report. Made for 100 columns; at 80 the texts are cut shorter, the figures never."""
    for part in render(report):
        console.print(part)


def render(report: Report) -> Iterator[RenderableType]:
    """The report's sections from top to bottom: what ran, every call's turns, what matched no turn, the
    summary.
    """
    yield headline(report)
    for call in report.calls:
        yield Text()
        yield _call_line(call)
        yield _turn_table([turn for turn in report.turns if turn.call == call.call])
    if report.unmatched:
        yield Text("\nReplies to no labelled turn", style="bold")
        yield from (_unmatched_line(row) for row in report.unmatched)
    if report.failures:
        yield Text("\nFailures", style="bold red")
        for failure in report.failures:
            yield Text(f"  {plain(failure.call)}: {failure.code}: {plain(failure.message)}")
    yield Text()
    yield summary_table(report)


def plain(text: str) -> str:
    """``text`` in one line without control characters: transcripts and file names must not steer the
    terminal.
    """
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def flags(turn: Turn) -> list[str]:
    """What a reader has to know about a turn besides its times, worst first."""
    named = {
        "FAULT": turn.fault is not None,
        "missed": turn.missed,
        "damaging cut-in": turn.damaging,
        "cut-in": turn.cut_in and not turn.damaging,
        "overtaken": turn.overtaken,
        "interrupted": turn.interrupted,
    }
    found = [name for name, present in named.items() if present]
    if turn.stalls_ms:
        found.append(f"stall {max(turn.stalls_ms)}")
    if turn.bridge is not None:
        found.append("bridge")
    if turn.budget_met is False and turn.slowest_part is not None:
        found.insert(0, f"slow: {turn.slowest_part}")
    return found


def _call_line(call: Call) -> Text:
    line = Text(plain(call.call), style="bold")
    late = call.lateness_ms
    facts = [
        f"{call.seconds:.1f} s",
        f"{call.labelled_turns} caller turns",
        f"turn ends from {call.speech_end_source}",
    ]
    if call.skipped_s:
        facts.append(f"{call.skipped_s:.1f} s of gaps skipped")
    if late.p99 is not None:
        facts.append(f"frames late p99 {late.p99:.1f} ms")
    line.append("  " + ("SYNTHETIC caller, " if call.synthetic else "") + ", ".join(facts), style="not bold")
    return line


def _turn_table(turns: list[Turn]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, expand=True, show_edge=False)
    table.add_column("turn", justify="right", no_wrap=True)
    for title in ("heard", "said"):
        table.add_column(title, ratio=1, no_wrap=True, overflow="ellipsis", min_width=6)
    for title in ("V2V", "onset", *(title for title, _ in _PARTS)):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("path", no_wrap=True, max_width=6, overflow="ellipsis")
    table.add_column("notes", min_width=9, max_width=16)
    for turn in turns:
        table.add_row(*_cells(turn), style=_style(turn))
    return table


def _cells(turn: Turn) -> list[Text]:
    parts = ["-"] * len(_PARTS)
    if turn.parts_ms is not None:
        parts = [str(getattr(turn.parts_ms, name)) for _, name in _PARTS]
    times = [_ms(turn.v2v_ms), _ms(turn.onset_ms), *parts]
    words = [plain(turn.heard) or "-", plain(turn.said) or "-"]
    return [
        Text(cell) for cell in (str(turn.turn), *words, *times, path_word(turn.path), ", ".join(flags(turn)))
    ]


def _ms(value: int | None) -> str:
    return "-" if value is None else str(value)


def _style(turn: Turn) -> str:
    """Red where the caller was hurt, yellow where the budget was."""
    if turn.missed or turn.damaging or turn.fault is not None:
        return "red"
    return "yellow" if turn.budget_met is False or turn.cut_in else ""


def _unmatched_line(row: UnmatchedRow) -> Text:
    heard = f"{row.audible_ms[0][0] / 1000:.2f} s" if row.audible_ms else "not heard"
    said = f', said "{plain(row.said)}"' if row.said else ""
    return Text(
        f"  {plain(row.call)}: {row.reason}, committed at {row.turn_end_ms / 1000:.2f} s, {heard}, "
        f'took in "{plain(row.heard)}"{said}'
    )
