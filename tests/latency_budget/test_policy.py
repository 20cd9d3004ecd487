"""The controller within a turn."""

from __future__ import annotations

from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latency_budget.config import BridgeConfig, BudgetConfig
from latency_budget.kalman import SlowDown
from latency_budget.policy import (
    Candidate,
    Situation,
    TurnState,
    decide,
    hedge_at_ms,
    next_bridge,
    unreachable,
)
from latency_budget.predictor import Predictor, Work
from latency_budget.profile import Profile, Stage
from latency_budget.statistics import percentile

QUIET = Predictor(Profile.unlearned(), SlowDown(1.0, 0.001))
BUDGET = BudgetConfig(budget_ms=500.0)

OUTPUT = Work(Stage.OUTPUT)
CACHED = Candidate("cached", (OUTPUT,), 0.98)
FAST = Candidate("fast", (Work(Stage.MODEL, (10.0, 2.0)), Work(Stage.TTS, (10.0,)), OUTPUT), 0.65)
ACCURATE = Candidate(
    "accurate", (Work(Stage.MODEL, (10.0, 12.0), factor=1.6), Work(Stage.TTS, (10.0,)), OUTPUT), 0.75
)


def situation(*candidates: Candidate, waited: float = 100.0, bridge: float | None = None) -> Situation:
    return Situation(waited, candidates, turn_end_ms=150.0, bridge_ms=bridge)


def name(state: TurnState) -> str | None:
    assert state.choice is not None
    return None if state.choice.option is None else state.choice.option.name


def test_it_takes_what_fits_and_says_when_it_may_be_heard() -> None:
    state, decision = decide(TurnState(), situation(CACHED, FAST, ACCURATE), QUIET, BUDGET)
    assert name(state) == "cached"
    assert decision.changed
    assert decision.not_before_ms == 150.0


def test_the_gap_is_kept_when_the_turn_ended_sooner() -> None:
    early = Situation(40.0, (CACHED,), turn_end_ms=64.0)
    _, decision = decide(TurnState(), early, QUIET, BudgetConfig(min_gap_ms=100.0))
    assert decision.not_before_ms == 100.0
    _, decision = decide(TurnState(), early, QUIET, BudgetConfig(min_gap_ms=0.0))
    assert decision.not_before_ms == 64.0


def test_it_is_decided_again_when_something_changes() -> None:
    roomy = BudgetConfig(budget_ms=1800.0, bridge=BridgeConfig(enabled=False))
    state, first = decide(TurnState(), situation(FAST, ACCURATE), QUIET, roomy)
    assert (name(state), first.changed) == ("accurate", True)
    state, same = decide(state, situation(FAST, ACCURATE, waited=150.0), QUIET, roomy)
    assert (name(state), same.changed) == ("accurate", False)
    state, fallen = decide(state, situation(FAST, ACCURATE, waited=1300.0), QUIET, roomy)
    assert (name(state), fallen.changed) == ("fast", True)


def test_once_the_answer_has_begun_it_stands() -> None:
    state, _ = decide(TurnState(), situation(FAST), QUIET, BUDGET)
    state = state.heard()
    after, decision = decide(state, situation(CACHED, ACCURATE), QUIET, BUDGET)
    assert after == state
    assert (name(after), decision.changed) == ("fast", False)


def test_a_late_answer_is_covered_by_a_bridge() -> None:
    state, _ = decide(TurnState(), situation(ACCURATE, bridge=1200.0), QUIET, BUDGET)
    assert name(state) == "accurate+bridge"


def test_there_is_no_bridge_before_an_answer_in_time() -> None:
    state, _ = decide(TurnState(), situation(FAST, ACCURATE, bridge=1200.0), QUIET, BUDGET)
    assert name(state) == "fast"


def test_there_is_no_second_bridge_and_none_when_they_are_off() -> None:
    bridged = TurnState().bridged_with("One moment.", 200.0, 900.0)
    state, _ = decide(bridged, situation(ACCURATE, bridge=1200.0), QUIET, BUDGET)
    assert name(state) == "accurate"
    off = BudgetConfig(bridge=BridgeConfig(enabled=False))
    state, _ = decide(TurnState(), situation(ACCURATE, bridge=1200.0), QUIET, off)
    assert name(state) == "accurate"


def test_a_bridge_that_the_answer_cannot_follow_is_not_said() -> None:
    state, _ = decide(TurnState(), situation(ACCURATE, bridge=400.0), QUIET, BUDGET)
    assert name(state) == "accurate"


def test_no_phrase_is_said_twice_running() -> None:
    phrases = ["One moment.", "Let me check."]
    assert next_bridge(phrases, None) == "One moment."
    assert next_bridge(phrases, "One moment.") == "Let me check."
    assert next_bridge(phrases, "Let me check.") == "One moment."
    assert next_bridge(phrases[:1], "One moment.") is None
    assert next_bridge([], None) is None
    assert TurnState().bridged_with("One moment.", 300.0, 900.0).next_turn() == TurnState(
        last_bridge="One moment."
    )


def test_a_second_path_starts_only_where_it_takes_no_core_from_the_first() -> None:
    forecast = QUIET.forecast(FAST.works)
    assert hedge_at_ms(forecast, free_cores=0, remote=False) is None
    assert hedge_at_ms(forecast, free_cores=1, remote=False) == forecast.quantile(0.95)
    assert hedge_at_ms(forecast, free_cores=0, remote=True) == forecast.quantile(0.95)


def test_a_budget_that_no_path_reaches_is_told_with_what_is_reached() -> None:
    paths = {"fast": QUIET.forecast(FAST.works, 150.0), "accurate": QUIET.forecast(ACCURATE.works, 150.0)}
    said = unreachable(paths, BudgetConfig(budget_ms=200.0))
    assert said is not None
    assert said.startswith("budget_ms 200 is below what this machine reaches: fast ")
    assert unreachable(paths, BudgetConfig(budget_ms=800.0)) is None
    assert unreachable({}, BUDGET) == "budget_ms 500 is below what this machine reaches: no path"


@given(st.floats(0.0, 5000.0), st.floats(0.0, 2000.0), st.none() | st.floats(100.0, 3000.0))
def test_there_is_always_something_to_say(waited: float, turn_end: float, bridge: float | None) -> None:
    at = Situation(waited, (FAST, ACCURATE), turn_end, bridge)
    _, decision = decide(TurnState(), at, QUIET, BUDGET)
    assert decision.choice.why
    assert set(decision.choice.predicted_ms) >= {"fast", "accurate"}
    assert decision.not_before_ms >= turn_end


def test_deciding_takes_a_millisecond_at_most() -> None:
    at = situation(CACHED, Candidate("speculated", (OUTPUT,), 0.6), FAST, ACCURATE, bridge=900.0)
    took = []
    for _ in range(500):
        start = perf_counter()
        decide(TurnState(), at, QUIET, BUDGET)
        took.append((perf_counter() - start) * 1000.0)
    assert percentile(took, 50) < 1.0


@pytest.mark.parametrize("confidence", [0.5, 1.0])
def test_a_confidence_that_cannot_be_kept_is_refused(confidence: float) -> None:
    with pytest.raises(ValueError, match="confidence"):
        BudgetConfig(confidence=confidence)
