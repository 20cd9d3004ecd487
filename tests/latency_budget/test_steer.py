"""What follows from a decision: what is started, stopped and heard."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from latency_budget.config import BudgetConfig
from latency_budget.kalman import SlowDown
from latency_budget.policy import Candidate, TurnState
from latency_budget.predictor import Predictor, Work
from latency_budget.profile import Profile, Stage
from latency_budget.steer import Moment, Orders, Way, steer

QUIET = Predictor(Profile.unlearned(), SlowDown(1.0, 0.001))
OUTPUT = Work(Stage.OUTPUT)
TTS = Work(Stage.TTS, (10.0,))


def fast(*, spent: float = 0.0, ready: bool = False, **state: bool) -> Way:
    works = (OUTPUT,) if ready else (Work(Stage.MODEL, (10.0, 2.0), spent_ms=spent), TTS, OUTPUT)
    return Way(Candidate("fast", works, 0.4), ready=ready, **state)


def accurate(*, spent: float = 0.0, ready: bool = False, price: float = 1.0, **state: bool) -> Way:
    works = (OUTPUT,) if ready else (Work(Stage.ACCURATE, (40.0,), spent_ms=spent), TTS, OUTPUT)
    return Way(Candidate("accurate", works, 0.8, price), ready=ready, **state)


def orders(
    *ways: Way, waited: float = 150.0, over: bool = False, budget: float = 500.0, **more: float
) -> Orders:
    config = BudgetConfig(budget_ms=budget, give_up_ms=5000.0, **more)  # type: ignore[arg-type]
    moment = Moment(waited, over, max(waited, 200.0), ways)
    return steer(TurnState(), moment, QUIET, config)[1]


def test_a_tight_budget_starts_the_fast_way() -> None:
    assert orders(fast(), accurate()).start == ("fast",)


def test_where_both_fit_one_after_the_other_the_quick_one_comes_first() -> None:
    assert orders(fast(), accurate(), budget=4000.0).start == ("fast",)


def test_where_only_the_better_one_fits_it_starts_alone() -> None:
    assert orders(fast(), accurate(), budget=1800.0).start == ("accurate",)


def test_the_better_one_starts_when_the_quick_one_is_ready_and_lets_go_of_the_core() -> None:
    busy = fast(ready=True, started=True, busy=True)
    assert orders(busy, accurate(), budget=4000.0).start == ()
    assert orders(busy, accurate(room=True), budget=4000.0).start == ("accurate",)
    done = fast(ready=True, started=True)
    assert orders(done, accurate(), budget=4000.0).start == ("accurate",)


def test_it_is_not_started_once_it_cannot_be_in_time() -> None:
    late = orders(fast(ready=True, started=True), accurate(), budget=1800.0, waited=1200.0, over=True)
    assert (late.start, late.lead, late.play) == ((), "fast", True)


def test_a_better_one_that_is_late_gives_way_and_its_core_up() -> None:
    slow = accurate(spent=1500.0, started=True, busy=True)
    late = orders(fast(), slow, budget=1800.0, waited=1550.0, over=True)
    assert (late.start, late.abort) == (("fast",), ("accurate",))


def test_a_second_way_starts_beside_a_late_first_one_where_there_is_room() -> None:
    late = fast(spent=600.0, started=True, busy=True)
    assert orders(late, accurate(room=True), waited=700.0, budget=4000.0).start == ("accurate",)
    assert orders(late, accurate(), waited=700.0, budget=4000.0).start == ()


def test_what_costs_more_than_the_cap_is_never_started() -> None:
    assert orders(fast(), accurate(price=3.0), budget=4000.0, price_cap=2.0).start == ("fast",)


def test_nothing_is_heard_before_the_turn_is_over_and_the_gap_is_kept() -> None:
    ready = fast(ready=True, started=True)
    assert not orders(ready).play
    held = orders(ready, waited=150.0, over=True)  # the turn ended at 200
    assert (held.play, held.again_ms) == (False, 50.0)
    assert orders(ready, waited=200.0, over=True).play


def test_it_is_decided_again_shortly_before_the_budget_runs_out() -> None:
    waiting = orders(accurate(spent=300.0, started=True), waited=450.0, over=True, budget=1800.0)
    assert waiting.again_ms is not None
    assert 450.0 + waiting.again_ms < 1800.0


def test_with_nothing_left_the_safe_sentence_is_said_at_once() -> None:
    assert (orders(over=True, waited=200.0).lead, orders(over=True, waited=200.0).play) == (None, True)


@given(
    st.floats(0.0, 1e7),
    st.floats(0.0, 6000.0),
    st.sampled_from(
        [(), (fast(),), (fast(started=True, spent=1e6),), (fast(), accurate(started=True, spent=9e5))]
    ),
)
def test_whatever_hangs_something_is_said_at_the_end(
    waited: float, turn_end: float, ways: tuple[Way, ...]
) -> None:
    """A clock that steps is a moment like any other."""
    config = BudgetConfig()
    moment = Moment(waited, True, turn_end, ways)
    _, found = steer(TurnState(), moment, QUIET, config)
    last = config.give_up_ms + max(0.0, turn_end - config.budget_ms) + 200.0
    if waited > max(last, turn_end):
        assert found.play
    else:
        assert found.play or found.again_ms is not None or found.start
