"""When a path would be heard."""

from __future__ import annotations

import math

import pytest

from latency_budget.kalman import SlowDown
from latency_budget.predictor import KNOWN_AFTER, Predictor, Took, Work
from latency_budget.profile import Prior, Profile, Stage

EXACT = Profile.unlearned(
    "k",
    {
        Stage.ASR: Prior(("audio_s",), (60.0, 20.0), (3.0,), spread=0.1),
        Stage.TTS: Prior(("chars",), (10.0, 2.0), (20.0,), spread=0.2),
        Stage.OUTPUT: Prior((), (30.0,), (), spread=0.0),
    },
)
SURE = SlowDown(1.0, 0.0)


def test_the_parts_of_a_path_add_up() -> None:
    works = [Work(Stage.ASR, (2.0,)), Work(Stage.TTS, (20.0,)), Work(Stage.OUTPUT)]
    estimate = Predictor(EXACT, SURE).forecast(works, waited_ms=64.0, not_before_ms=200.0).estimate
    assert estimate.mean_ms == pytest.approx(64.0 + 100.0 + 50.0 + 30.0)
    assert estimate.variance == pytest.approx(10.0**2 + 10.0**2)
    assert estimate.floor_ms == 200.0


def test_a_slow_machine_takes_longer_and_is_less_sure() -> None:
    estimate = Predictor(EXACT, SlowDown(2.0, 0.04)).forecast([Work(Stage.ASR, (2.0,))]).estimate
    assert estimate.mean_ms == pytest.approx(200.0)
    # The stage's own spread, doubled, and the factor's, which hits the whole quiet time.
    assert estimate.variance == pytest.approx(20.0**2 + 0.04 * 100.0**2)


def test_four_answers_in_one_batch_take_their_factor() -> None:
    estimate = Predictor(EXACT, SURE).forecast([Work(Stage.TTS, (20.0,), factor=1.6)]).estimate
    assert estimate.mean_ms == pytest.approx(80.0)
    assert estimate.sd_ms == pytest.approx(16.0)


def test_work_under_way_has_less_left() -> None:
    predictor = Predictor(EXACT, SURE)
    estimate = predictor.forecast([Work(Stage.ASR, (2.0,), spent_ms=50.0)], waited_ms=114.0).estimate
    assert estimate.mean_ms == pytest.approx(164.0, abs=0.01)


def test_a_turn_twice_as_slow_moves_the_factor_by_the_gain() -> None:
    # (1 - 0.5) * 0 + 0.0004 of variance against a noise of 0.01: gain 0.0004 / 0.0104.
    after = Predictor(EXACT, SURE).timed([Took(Work(Stage.ASR, (2.0,)), 200.0)])
    assert after.slow_down.mean == pytest.approx(1.0 + 0.0004 / 0.0104)


@pytest.mark.parametrize("took", [-40.0, 0.0, math.nan, math.inf])
def test_a_clock_that_steps_teaches_nothing(took: float) -> None:
    predictor = Predictor(EXACT, SURE)
    news = [Took(Work(Stage.ASR, (2.0,)), took)]
    assert predictor.timed(news) == predictor
    assert predictor.learned(news) == predictor


def test_a_loaded_turn_says_nothing_about_the_quiet_machine() -> None:
    predictor, work = Predictor(EXACT, SURE), Work(Stage.ASR, (2.0,))
    for _ in range(KNOWN_AFTER):
        predictor = predictor.learned([Took(work, 100.0)])
    loaded = Predictor(predictor.profile, SlowDown(2.0, 0.01))
    assert loaded.learned([Took(work, 200.0)]).profile == predictor.profile
    assert predictor.learned([Took(work, 110.0)]).profile != predictor.profile


def test_a_stage_that_is_not_known_yet_learns_in_any_case() -> None:
    loaded = Predictor(EXACT, SlowDown(2.0, 0.01))
    assert loaded.learned([Took(Work(Stage.ASR, (2.0,)), 200.0)]).profile != EXACT


def test_a_machine_that_slept_for_half_an_hour_does_not_ruin_the_profile() -> None:
    work = Work(Stage.OUTPUT)
    once = Predictor(EXACT, SURE).learned([Took(work, 1_627_000.0)])
    # Four observations of 30 ms are the prior, and the one of half an hour counts as ten times 30 ms.
    assert once.forecast([work]).mean_ms == pytest.approx((4 * 30.0 + 300.0) / 5)
    assert once == Predictor(EXACT, SURE).learned([Took(work, 300.0)])
