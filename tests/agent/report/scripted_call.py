"""A small scripted call with an answer, a cut-in, an overtaken and a missed turn, for the tests of the report.

``PYTHONPATH=. python tests/agent/report/scripted_call.py`` writes the golden files anew: read the difference before
you commit it.
"""

from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from agent.report.build import CallFacts, Rows, RunContext, build_report
from agent.report.facts import ConfigFacts, Machine, ObserverReading, ReplayFacts
from agent.report.rows import turn_rows, unmatched_rows
from agent.report.schema import Report
from agent.report.table import print_report
from agent.report.turns import Decision, ReplyDetails, Speculation, Tokens
from latency_budget.config import BudgetConfig
from latency_budget.exchange import CallerTurn, Exchange, Span
from latency_budget.marks import Mark
from latency_budget.outcome import match

GOLDEN = Path(__file__).parent / "golden"

BUDGET = BudgetConfig(budget_ms=500)

TURNS = (
    CallerTurn(0, 1000, 2000, reference="Hello."),
    CallerTurn(1, 6000, 8000, holds=((6500, 7200),), reference="I lost my card and I need a new one."),
    CallerTurn(2, 12000, 13000),
    CallerTurn(3, 13400, 14000),
    CallerTurn(4, 18000, 19000),
)


def exchange(
    number: int, turn_end: float, spans: tuple[Span, ...], heard: str, said: str, **more: object
) -> Exchange:
    """An exchange whose work takes 40 ms of recognition, 1 ms to decide, 90 ms of model and 60 ms of speech."""
    marks = {
        Mark.TURN_END: turn_end,
        Mark.ASR_FINAL: turn_end + 40,
        Mark.REPLY_STARTED: turn_end + 41,
        Mark.REPLY_FIRST_SEGMENT: turn_end + 131,
        Mark.TTS_FIRST_CHUNK: turn_end + 191,
    }
    if spans:
        marks[Mark.FIRST_CONTENT] = spans[0][0]
    return Exchange(number, marks, spans, heard=heard, said=said, path="fast", **more)  # type: ignore[arg-type]


EXCHANGES = (
    exchange(0, 2160, ((2400, 3000), (3400, 4000)), "Hello.", "Good morning, this is the bank."),
    exchange(1, 6700, ((7000, 7300),), "I lost my card.", "Which card", interrupted_at_ms=7300),
    exchange(2, 8400, ((8700, 12100),), "I lost my card and I need a new one.", "I can send one today."),
    exchange(3, 13200, (), "No.", ""),
    exchange(4, 14200, ((14450, 15000),), "No, thanks.", "Fine."),
    exchange(5, 16000, ((16300, 16800),), "[cough]", "Pardon?"),
)

DETAILS = {
    0: ReplyDetails(
        decision=Decision(predicted_ms={"fast": 310.0}, chosen="fast", why="the only seat"),
        tokens=Tokens(prompt=120, reused=104, generated=14),
        underruns=1,
    ),
    1: ReplyDetails(speculation=Speculation(waste_tokens=7, waste_audio_s=0.5)),
    5: ReplyDetails(underruns=2),
}


def rows() -> Rows:
    """The rows of the call."""
    matching = match(TURNS, EXCHANGES)
    return Rows(turn_rows("demo", matching, DETAILS, BUDGET), unmatched_rows("demo", matching, DETAILS))


def context(**changes: object) -> RunContext:
    """What is known about the run besides."""
    facts: dict[str, object] = {
        "started_at": datetime(2025, 3, 1, 12, 0, tzinfo=UTC),
        "machine": Machine(
            cpu="Test CPU 9000",
            arch="x86_64",
            cores=2,
            memory_gb=7.8,
            os="Linux 6.1",
            python="CPython 3.11.7",
            libraries={"pipecat-ai": "1.14.0"},
        ),
        "config": ConfigFacts(path="configs/default.yaml", sha256="ab12" * 16, budget_ms=500),
        "replay": ReplayFacts(mode="recorded", max_gap_s=4),
        "calls": (CallFacts("demo", 22.5, "labels", True, len(TURNS), lateness_ms=(0.1, 0.2, 0.3, 1.5)),),
        "observer_ms": (ObserverReading(call="demo", at_ms=2400, latency_ms=380.5),),
    }
    return RunContext(**{**facts, **changes})  # type: ignore[arg-type]


def report() -> Report:
    """The whole report."""
    return build_report(rows(), context())


def table(shown: Report, width: int) -> str:
    """The terminal report at ``width`` columns, without colour and trailing blanks."""
    console = Console(file=io.StringIO(), width=width, color_system=None)
    print_report(shown, console)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def golden() -> dict[str, str]:
    """What the golden files have to hold, by their names."""
    found = report()
    return {
        "report.json": found.to_json(indent=2) + "\n",
        "table_100.txt": table(found, 100),
        "table_80.txt": table(found, 80),
    }


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for name, text in golden().items():
        (GOLDEN / name).write_text(text, encoding="utf-8")
