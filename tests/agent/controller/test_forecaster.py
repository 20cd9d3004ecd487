"""What is predicted of the ways of a turn, and what is learned from them."""

from __future__ import annotations

import pytest

from agent.controller.forecaster import Forecaster
from agent.controller.quality import Quality
from agent.controller.seats import SeatPlan
from agent.controller.way import LiveWay
from agent.playback import ReplyHeard
from agent.recorder import DecisionNote, ReplyRecord, TakeRecord
from latency_budget.config import BudgetConfig, PathQuality
from latency_budget.kalman import SlowDown
from latency_budget.predictor import Predictor
from latency_budget.profile import Profile, Stage
from stages.contract import Prefill
from stages.fakes import FakeSeat

ORIGIN = 1000.0
COVERS = 5000.0
END = ORIGIN + COVERS
FAST = LiveWay("fast", SeatPlan("fast", FakeSeat(), 1, 40, 0.0))


def forecaster(budget: BudgetConfig | None = None) -> Forecaster:
    predictor = Predictor(Profile.unlearned(), SlowDown(1.0, 0.0))
    return Forecaster(predictor, budget or BudgetConfig(), Quality(PathQuality(fast=0.7)))


def left_ms(one: Forecaster, way: LiveWay, now_ms: float, **marks: float) -> float:
    made = TakeRecord("fast", marks=marks, said=["We are open from"])
    return one.predictor.forecast(one.left(way, made, now_ms)).mean_ms


def heard(one: Forecaster, *, spoken: float = END + 640.0) -> ReplyRecord:
    """A reply of the fast seat: written 250 ms after it was asked for, heard 30 ms after it was spoken."""
    marks = {"reply_started": END + 350.0, "reply_first_segment": END + 600.0, "tts_first_chunk": spoken}
    record = ReplyRecord(1, 1, "hello", COVERS, marks={"turn_end": END + 350.0, "asr_final": END + 200.0})
    record.takes[0] = TakeRecord("fast", marks, ["We are open from"], Prefill(120, 100))
    record.follow(0)
    one.foretold(1, one.predictor.forecast(one.from_scratch("fast"), 350.0))
    record.played = ReplyHeard(1, spans=[(END + 670.0, END + 900.0)])
    return record


def test_from_scratch_all_stages_count_and_in_memory_only_the_output() -> None:
    one = forecaster()
    # 40 + 15 * 4 + 4 * 42 to write, 12 + 18 * 2.4 to speak, 30 to play.
    assert one.predictor.forecast(one.from_scratch("fast")).mean_ms == pytest.approx(268.0 + 55.2 + 30.0)
    ready = LiveWay("fast", FAST.plan, ready=True)
    assert one.predictor.forecast(one.left(ready, None, END)).mean_ms == pytest.approx(30.0)


def test_what_is_under_way_has_less_left() -> None:
    one = forecaster()
    early = left_ms(one, FAST, END + 350.0, reply_started=END + 340.0)
    late = left_ms(one, FAST, END + 350.0, reply_started=END + 200.0)
    written = left_ms(one, FAST, END + 350.0, reply_started=END + 200.0, reply_first_segment=END + 345.0)
    assert early > late > written > 30.0


def test_a_seat_costs_what_it_takes_or_what_is_said_of_it() -> None:
    one = forecaster()
    mine = one.candidate(FAST, None, "fast", END, "plain")
    assert mine.price == pytest.approx((268.0 + 55.2) / 1000.0)
    assert mine.quality == 0.7
    plan = SeatPlan("accurate", FakeSeat(), 1, 40, 0.0, remote=True, price=2.5)
    assert one.candidate(LiveWay("accurate", plan), None, "accurate", END, "plain").price == 2.5


def test_it_learns_from_what_came_of_it() -> None:
    one = forecaster()
    one.closed(heard(one), ORIGIN)
    stages = one.predictor.profile.stages
    assert [stages[stage].count for stage in (Stage.MODEL, Stage.TTS, Stage.OUTPUT)] == [1, 1, 1]
    assert one.predictor.conformal.alpha > 0.05
    # 250 + 40 + 30 ms stood against more: the machine counts as quicker.
    assert one.predictor.slow_down.mean < 1.0
    assert one.ordinary_end_ms == pytest.approx(400.0 + 0.2 * (350.0 - 400.0))


def test_a_way_that_was_not_heard_teaches_how_long_its_seat_takes() -> None:
    one = forecaster()
    record = heard(one)
    marks = {"reply_started": END + 100.0, "reply_first_segment": END + 900.0}
    record.takes[1] = TakeRecord("accurate", marks, ["We are open"], Prefill(120, 100))
    one.closed(record, ORIGIN)
    assert one.predictor.profile.stages[Stage.ACCURATE].count == 1


def test_a_piece_from_memory_says_nothing_about_the_voice() -> None:
    one = forecaster()
    one.closed(heard(one, spoken=END + 601.0), ORIGIN)
    assert one.predictor.profile.stages[Stage.TTS].count == 0
    assert one.predictor.profile.stages[Stage.MODEL].count == 1


def test_a_reply_that_was_never_heard_teaches_no_error() -> None:
    one = forecaster()
    record = heard(one)
    record.played = ReplyHeard(1)
    one.closed(record, ORIGIN)
    assert one.predictor.conformal.alpha == 0.05


def test_afterwards_it_is_known_what_would_have_been_best() -> None:
    one = forecaster(BudgetConfig(budget_ms=1000.0))
    record = heard(one)
    said = {"fast": 700.0, "accurate": 900.0}
    record.decisions.append(
        DecisionNote("turn end", 350.0, "fast", "why", said, said, {"fast": 0.6, "accurate": 0.8}, {})
    )
    one.closed(record, ORIGIN)
    assert record.best is not None
    assert (record.best.path, record.best.quality) == ("accurate", 0.8)
    assert record.best.regret == pytest.approx(0.2)


def test_a_budget_that_no_path_can_keep_is_told_with_what_is_reached() -> None:
    said = forecaster(BudgetConfig(budget_ms=60.0)).beyond_reach(64.0)
    assert said is not None
    assert said.startswith("budget_ms 60 is below what this machine reaches: speculated 106 ms, fast ")
    assert forecaster(BudgetConfig(budget_ms=150.0)).beyond_reach(64.0) is None
