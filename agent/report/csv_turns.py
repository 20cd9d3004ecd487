"""The turns of a report as a table for spreadsheets: one row a turn, one column a figure."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from agent.report.schema import Report
from agent.report.table import flags, plain
from agent.report.turns import Turn
from agent.report.write import write_whole
from latency_budget.ledger import Part
from latency_budget.marks import Mark

_FIGURES = ("v2v_ms", "onset_ms", "response_ms", "endpoint_delay_ms")
_STATES = ("budget_met", "cut_in", "damaging", "missed", "interrupted", "overtaken")

COLUMNS = (
    "call",
    "turn",
    "heard",
    "said",
    "reference",
    "path",
    *_FIGURES,
    *(f"{part}_ms" for part in Part),
    "slowest_part",
    *_STATES,
    "stalls",
    "longest_stall_ms",
    "overlap_ms",
    "underruns",
    "prompt_tokens",
    "reused_tokens",
    "generated_tokens",
    "notes",
    "why",
    *(f"at_{mark}_ms" for mark in Mark),
)
"""The header. An empty cell is a value that there is not."""


def turns_csv(report: Report) -> str:
    """The table as text, RFC 4180, UTF-8, header first."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    writer.writerows(_row(turn) for turn in report.turns)
    return text.getvalue()


def write_csv(report: Report, path: Path) -> None:
    """Write the table in one step. Raises AgentError if that cannot be done."""
    write_whole(path, turns_csv(report))


def _row(turn: Turn) -> list[object]:
    return [
        _text(turn.call),
        turn.turn,
        *(_text(words) for words in (turn.heard, turn.said, turn.reference or "")),
        turn.path,
        *(getattr(turn, name) for name in _FIGURES),
        *(getattr(turn.parts_ms, part, None) for part in Part),
        turn.slowest_part,
        *(_state(getattr(turn, name)) for name in _STATES),
        len(turn.stalls_ms),
        max(turn.stalls_ms, default=None),
        sum(cut.overlap_ms for cut in turn.cut_ins),
        turn.underruns,
        turn.tokens.prompt,
        turn.tokens.reused,
        turn.tokens.generated,
        ", ".join(flags(turn)),
        _text("" if turn.decision is None else turn.decision.why),
        *(turn.marks.get(mark) for mark in Mark),
    ]


def _state(value: bool | None) -> int | None:
    return None if value is None else int(value)


def _text(words: str) -> str:
    """Words in one line. One that a spreadsheet would run as a formula gets an apostrophe before it."""
    line = plain(words)
    return f"'{line}" if line[:1] in ("=", "+", "-", "@") else line
