"""Other people's tools on a small made recording whose times are known."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from agent.bench.referees import Check, Heard, latencies, overlap, overlaps, talked_over, voiced, yields
from agent.bench.referees_tools import check_call, versions
from agent.errors import AgentError
from agent.report.build import CallFacts, Rows, RunContext, build_report
from agent.report.facts import ConfigFacts, ReplayFacts
from agent.report.machine import machine_facts
from agent.report.rows import turn_rows
from agent.report.schema import Report
from latency_budget.config import BudgetConfig
from latency_budget.exchange import CallerTurn, Exchange
from latency_budget.marks import Mark
from latency_budget.outcome import match
from stages.audio.write import write_wav

RATE = 16_000
CALLER = (CallerTurn(0, 1000.0, 3000.0), CallerTurn(1, 5000.0, 6500.0), CallerTurn(2, 9000.0, 11_000.0))
AGENT = ((3400.0, 5300.0), (7100.0, 8200.0), (11_800.0, 13_000.0))
"""The second turn begins while the first reply is heard, which then ends after 300 ms."""


def report() -> Report:
    replies = [
        Exchange(
            id=index,
            marks={Mark.TURN_END: turn.end_ms + 200.0, Mark.FIRST_CONTENT: span[0]},
            audible=(span,),
            path="fast",
        )
        for index, (turn, span) in enumerate(zip(CALLER, AGENT, strict=True))
    ]
    turns = turn_rows("made", match(CALLER, replies), {}, BudgetConfig())
    context = RunContext(
        started_at=datetime(2026, 1, 1, tzinfo=UTC),
        machine=machine_facts(),
        config=ConfigFacts(path="default.yaml", sha256="0", budget_ms=500),
        replay=ReplayFacts(mode="recorded", max_gap_s=4.0),
        calls=[CallFacts("made", 14.0, "labels", synthetic=True, labelled_turns=3, recording="call.wav")],
    )
    return build_report(Rows(turns), context)


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Bursts of noise at -20 dBFS where somebody talks, noise at -70 dBFS elsewhere."""
    random = np.random.default_rng(1)
    sound = random.normal(0.0, 10 ** (-70 / 20), (14 * RATE, 2)).astype(np.float32)
    spans = ([(turn.start_ms, turn.end_ms) for turn in CALLER], AGENT)
    for channel, talks in enumerate(spans):
        for start, end in talks:
            at = slice(int(start * RATE / 1000), int(end * RATE / 1000))
            sound[at, channel] = random.normal(0.0, 0.1, at.stop - at.start)
    write_wav(tmp_path / "call.wav", sound, RATE)
    return tmp_path / "call.wav"


def test_all_tools_agree_with_the_report_on_a_call_whose_times_are_known(recording: Path) -> None:
    checks, told = check_call(report(), "made", recording)
    figures = {(one.tool, one.figure, one.turn): one for one in checks}
    assert {key: round(one.ours_ms) for key, one in figures.items()} == {
        ("voicebench", "wait for the reply", 0): 400,
        ("voicebench", "wait for the reply", 1): 600,
        ("voicebench", "wait for the reply", 2): 800,
        ("voicebench", "talk at once", 1): 300,
        ("hotato", "wait for the reply", 0): 400,
        ("hotato", "wait for the reply", 1): 600,
        ("hotato", "wait for the reply", 2): 800,
        ("hotato", "silent after a barge-in", 1): 300,
        ("voice-evals", "V2V p50", None): 600,
        ("voice-evals", "V2V p95", None): 780,
    }
    assert [one for one in checks if not one.agrees] == []
    assert told == ["voicebench: caller's speech from -45 dBFS (default -45)"]


def test_a_recording_of_another_call_does_not_agree(recording: Path) -> None:
    """The referees hear the sound, not the report: a report that is off by 200 ms is found out."""
    late = report()
    moved = [
        turn.model_copy(
            update={"marks": turn.marks | {Mark.FIRST_AUDIO: turn.marks[Mark.FIRST_AUDIO] - 200.0}}
        )
        for turn in late.turns
    ]
    checks, _ = check_call(late.model_copy(update={"turns": moved}), "made", recording)
    waits = [one for one in checks if one.figure == "wait for the reply"]
    assert [one.agrees for one in waits] == [False] * 6
    assert all(re.search("the agent begins (19|20)[0-9] ms later", one.why) for one in waits)


def test_a_mono_recording_is_refused(tmp_path: Path) -> None:
    write_wav(tmp_path / "call.wav", np.zeros(RATE, np.float32), RATE)
    with pytest.raises(AgentError, match="1 channel"):
        check_call(report(), "made", tmp_path / "call.wav")


def test_a_missing_recording_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match="cannot be read"):
        check_call(report(), "made", tmp_path / "none.wav")


def test_a_difference_says_which_end_it_comes_from() -> None:
    turns = report().turns
    heard = {0: Heard(3100.0, 3400.0), 1: Heard(6500.0, 7200.0), 2: Heard(None, None)}
    first, second, third = latencies("t", turns, heard)
    assert (first.difference_ms, first.agrees) == (-100.0, False)
    assert first.why.startswith("the caller ends 100 ms later for it")
    assert second.why.startswith("the agent begins 100 ms later for it")
    assert (third.theirs_ms, third.agrees) == (None, False)
    assert "sees no end" in third.why


def test_another_sound_that_is_taken_for_the_reply_is_told() -> None:
    (first, *_) = latencies("t", report().turns, {0: Heard(3000.0, 2000.0)})
    assert "another sound of the agent" in first.why


def test_overlap_counts_the_callers_voice_only() -> None:
    assert overlap([(0.0, 100.0), (200.0, 300.0)], [(50.0, 250.0)]) == 100.0
    (turn,) = turn_rows("c", match([CallerTurn(0, 0.0, 1000.0, ((400.0, 600.0),))], []), {}, BudgetConfig())
    assert voiced(turn) == [(0.0, 400.0), (600.0, 1000.0)]


def test_turns_without_overlap_for_either_are_left_out() -> None:
    checks = overlaps("t", report().turns, AGENT, {1: 300.0, 2: 0.0})
    assert checks == [Check("t", "talk at once", 1, 300.0, 300.0)]


def test_an_agent_that_goes_on_after_a_short_pause_has_not_yielded() -> None:
    turns = report().turns
    assert talked_over(turns, [(4000.0, 5100.0), (5300.0, 5900.0), (6300.0, 6400.0)]) == {1: 900.0}


def test_a_yield_that_a_tool_does_not_see_is_told() -> None:
    (one,) = yields("t", {1: 300.0}, {1: None})
    assert (one.agrees, one.difference_ms) == (False, None)
    assert one.why.startswith("it does not see")


def test_the_tools_state_their_versions() -> None:
    assert list(versions()) == ["hotato", "voicebench", "voice-evals"]
