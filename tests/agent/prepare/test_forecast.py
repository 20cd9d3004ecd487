"""Forecasts of live turns."""

from __future__ import annotations

import pytest

from agent.playback import Playback, ReplyHeard
from agent.prepare.forecast import TurnForecaster
from agent.recorder import Recorder, ReplyRecord
from latency_budget.config import BudgetConfig
from latency_budget.kalman import SlowDown
from latency_budget.predictor import Predictor
from latency_budget.profile import Profile, Stage
from stages.contract import Prefill

ORIGIN = 1000.0
COVERS = 5000.0
END = ORIGIN + COVERS


def forecaster() -> TurnForecaster:
    return TurnForecaster(Predictor(Profile.unlearned(), SlowDown(1.0, 0.0)), BudgetConfig())


def record(**marks: float) -> ReplyRecord:
    return ReplyRecord(1, 1, "hello", COVERS, path="fast", marks=marks)


def test_a_reply_in_memory_needs_the_output_only() -> None:
    one = record(reply_started=END + 160, reply_first_segment=END + 300, tts_first_chunk=END + 330)
    one.path = "speculated"
    forecaster().committed(one, END + 350.0, ORIGIN)
    assert one.forecast is not None
    assert one.forecast.predicted_ms["speculated"] == pytest.approx(350.0 + 30.0, abs=1.0)
    # From scratch: 40 + 15 * 4 + 4 * 42 to write, 12 + 18 * 2.4 to speak, 30 to play.
    assert one.forecast.predicted_ms["fast"] == pytest.approx(350.0 + 268.0 + 55.2 + 30.0, abs=1.0)
    assert one.forecast.predicted_p95_ms["speculated"] > one.forecast.predicted_ms["speculated"]
    assert one.forecast.why.startswith("speculated: quality 0.70, heard by ")


def test_what_is_under_way_has_less_left() -> None:
    early, late = record(reply_started=END + 340.0), record(reply_started=END + 200.0)
    for one in (early, late):
        forecaster().committed(one, END + 350.0, ORIGIN)
    assert early.forecast is not None
    assert late.forecast is not None
    assert late.forecast.predicted_ms["fast"] < early.forecast.predicted_ms["fast"]


def test_it_learns_from_what_came_of_it() -> None:
    watcher = forecaster()
    one = record(turn_end=END + 350.0)
    watcher.committed(one, END + 350.0, ORIGIN)
    one.marks |= {
        "reply_started": END + 350.0,
        "reply_first_segment": END + 600.0,
        "tts_first_chunk": END + 640.0,
    }
    one.said, one.prefill = ["We are open from"], Prefill(120, 100)
    one.played = ReplyHeard(1, spans=[(END + 670.0, END + 900.0)])
    watcher.closed(one, ORIGIN)
    stages = watcher.predictor.profile.stages
    assert [stages[stage].count for stage in (Stage.MODEL, Stage.TTS, Stage.OUTPUT)] == [1, 1, 1]
    assert watcher.predictor.conformal.alpha > 0.05
    # 250 + 40 + 30 ms stood against more: the machine counts as quicker.
    assert watcher.predictor.slow_down.mean < 1.0


def test_a_piece_from_memory_says_nothing_about_the_voice() -> None:
    watcher = forecaster()
    one = record(turn_end=END, reply_started=END)
    watcher.committed(one, END, ORIGIN)
    one.marks |= {"reply_first_segment": END + 200.0, "tts_first_chunk": END + 201.0}
    one.said, one.prefill = ["Sure."], Prefill(10, 0)
    one.played = ReplyHeard(1, spans=[(END + 230.0, END + 900.0)])
    watcher.closed(one, ORIGIN)
    assert watcher.predictor.profile.stages[Stage.TTS].count == 0
    assert watcher.predictor.profile.stages[Stage.MODEL].count == 1


def test_a_reply_that_was_never_heard_teaches_nothing() -> None:
    watcher = forecaster()
    before = watcher.predictor
    one = record(turn_end=END + 350.0)
    watcher.committed(one, END + 350.0, ORIGIN)
    one.played = ReplyHeard(1)
    watcher.closed(one, ORIGIN)
    watcher.closed(one, ORIGIN)
    assert watcher.predictor is before


def test_the_recorder_tells_it_of_commits_and_ends() -> None:
    recorder = Recorder(Playback(16_000, 0.0))
    recorder.origin_ms, recorder.watcher = ORIGIN, forecaster()
    recorder.begin(record())
    recorder.commit(1, END + 350.0, "turn end 0.97 after 352 ms")
    told = recorder.records[1].forecast
    assert told is not None
    assert list(told.predicted_ms) == ["fast"]
    recorder.close(1, END + 900.0)


def test_a_budget_that_no_path_can_keep_is_told_with_what_is_reached() -> None:
    machine = Predictor(Profile.unlearned(), SlowDown(1.0, 0.0))
    said = TurnForecaster(machine, BudgetConfig(budget_ms=60.0)).beyond_reach(64.0)
    assert said is not None
    assert said.startswith("budget_ms 60 is below what this machine reaches: speculated 106 ms, fast ")
    assert TurnForecaster(machine, BudgetConfig(budget_ms=150.0)).beyond_reach(64.0) is None
