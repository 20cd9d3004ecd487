import io
import re

import pytest
from rich.console import Console
from scripted_call import BUDGET, context, exchange, report, rows, table

from agent.report.build import CallFacts, Rows, build_report
from agent.report.facts import Failure
from agent.report.rows import turn_rows
from agent.report.schema import Report
from agent.report.table import flags, plain, print_report
from latency_budget.exchange import CallerTurn
from latency_budget.outcome import match


def shown(heard: str, *, end: float = 2000) -> Report:
    matching = match(
        (CallerTurn(0, 1000, end),), (exchange(0, end + 160, ((end + 700, end + 900),), heard, "Yes."),)
    )
    return build_report(
        Rows(turn_rows("demo", matching, {}, BUDGET)),
        context(calls=(CallFacts("demo", 3, "labels", False, 1),)),
    )


@pytest.mark.parametrize("width", [80, 100, 140])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    assert max(len(line) for line in table(report(), width).splitlines()) <= width


@pytest.mark.parametrize("width", [80, 100])
def test_the_first_line_says_what_the_figures_are_worth(width: int) -> None:
    first, second, *_ = table(report(), width).splitlines()
    assert first == "recorded, real time | SYNTHETIC callers | speech_end: labels | config ab12ab12"
    assert second.startswith("Test CPU 9000, 2 cores, 7.8 GB")


@pytest.mark.parametrize("width", [80, 100])
def test_no_figure_is_cut(width: int) -> None:
    """Turns of ten seconds still show every part."""
    slow = shown("Hello.", end=2000)
    row = slow.turns[0].model_copy(update={"v2v_ms": 12345, "onset_ms": 12344})
    text = table(slow.model_copy(update={"turns": [row]}), width)
    assert re.search(r"12345 +12344 +160 +40 +1 +90 +60 +349", text)


def test_latency_comes_with_cut_ins_and_missed_turns() -> None:
    text = table(report(), 100)
    for name in (
        "V2V ms",
        "onset ms",
        "cut-ins",
        "damaging cut-ins",
        "missed",
        "overtaken",
        "frame lateness ms",
    ):
        assert re.search(rf"^{re.escape(name)} +\S", text, re.MULTILINE), name


def test_the_slowest_part_of_a_late_turn_is_named() -> None:
    late = report().turns[1]
    assert flags(late) == ["slow: endpoint", "cut-in", "interrupted"]
    assert flags(report().turns[3]) == []


def test_late_turns_stand_out_in_colour() -> None:
    console = Console(file=io.StringIO(), width=100, force_terminal=True, color_system="standard")
    print_report(report(), console)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    late = next(line for line in lines if "slow:" in line)
    good = next(line for line in lines if "No, thanks." in line)
    missed = next(line for line in lines if "missed" in line)
    assert "\x1b[33m" in late
    assert "\x1b[33m" not in good
    assert "\x1b[31m" in missed


def test_transcripts_do_not_steer_the_terminal() -> None:
    text = table(shown("[red]a\x1b[2Jb\nc[/red]"), 140)
    assert "[red]a [2Jb c[/red]" in text
    assert plain("  a\t\u202eb\n ") == "a b"


def test_real_and_mixed_callers_are_told_apart() -> None:
    assert "real callers" in table(shown("Hi."), 100).splitlines()[0]
    both = (
        CallFacts("demo", 22.5, "labels", True, 5),
        CallFacts("other", 1.0, "offline_vad", False, 0, skipped_s=12),
    )
    text = table(build_report(rows(), context(calls=both)), 100)
    assert "1 of 2 SYNTHETIC | speech_end: labels, offline_vad" in text.splitlines()[0]
    assert "other  1.0 s, 0 caller turns, turn ends from offline_vad, 12.0 s of gaps skipped" in text


def test_failures_are_listed() -> None:
    found = build_report(
        rows(), context(failures=(Failure(call="demo", turn=1, code="asr.failed", message="No text."),))
    )
    assert "  demo: asr.failed: No text." in table(found, 100).splitlines()


def test_a_run_without_turns_prints() -> None:
    empty = build_report(Rows(()), context(calls=(CallFacts("hum", 3600, "offline_vad", False, 0),)))
    assert "V2V ms             -  (n 0)" in table(empty, 100)
