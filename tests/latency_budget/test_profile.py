"""What a stage costs, learned from what it took."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latency_budget.profile import PRIORS, Prior, Profile, ProfileError, Stage, StageFit, profile_from

PLAIN = Prior(("n",), (10.0, 2.0), (5.0,), spread=0.3, strength=1e-9)


def test_without_measurements_it_says_what_is_expected() -> None:
    estimate = Profile.unlearned().predict(Stage.ASR, (3.0,))
    assert estimate.mean_ms == pytest.approx(120.0)
    assert estimate.sd_ms == pytest.approx(36.0)


def test_a_straight_line_is_learned_exactly() -> None:
    fit = StageFit.unlearned(PLAIN)
    for n in (1.0, 4.0, 9.0):
        fit = fit.learned((n,), 30.0 + 5.0 * n)
    assert fit.weights_ms == pytest.approx((30.0, 5.0), rel=1e-6)
    assert fit.predict((20.0,)).mean_ms == pytest.approx(130.0, rel=1e-6)
    assert fit.predict((20.0,)).sd_ms == pytest.approx(0.0, abs=0.01)


def test_the_prior_weighs_as_many_observations_as_it_says() -> None:
    # A constant, expected at 100 with the weight of 4, seen at 200 four times: the mean of both.
    fit = StageFit.unlearned(Prior((), (100.0,), (), spread=0.1, strength=4.0))
    for _ in range(4):
        fit = fit.learned((), 200.0)
    assert fit.weights_ms == pytest.approx((150.0,))
    # Residuals of half the expected time in four of eight: (4 * 0.25 + 4 * 0.01) / 8.
    assert fit.spread2 == pytest.approx(0.13)


def test_no_weight_falls_below_zero() -> None:
    fit = StageFit.unlearned(PLAIN)
    for n, took in ((1.0, 50.0), (10.0, 20.0), (5.0, 35.0)):
        fit = fit.learned((n,), took)
    assert min(fit.weights_ms) == 0.0
    assert fit.predict((100.0,)).mean_ms > 0.0


@given(st.lists(st.tuples(st.floats(0.0, 30.0), st.floats(0.1, 5000.0)), max_size=20), st.floats(0.0, 60.0))
def test_whatever_was_seen_the_prediction_is_a_time(seen: list[tuple[float, float]], amount: float) -> None:
    fit = StageFit.unlearned(PRIORS[Stage.ASR])
    for seconds, took in seen:
        fit = fit.learned((seconds,), took)
    estimate = fit.predict((amount,))
    assert estimate.mean_ms >= 0.0
    assert min(fit.weights_ms) >= 0.0


def test_it_is_kept_as_json_and_read_back_the_same() -> None:
    profile = Profile.unlearned("this machine").learned(Stage.MODEL, (12.0, 4.0), 260.0)
    profile = profile.learned(Stage.TTS, (14.0,), 41.5)
    read = profile_from(json.loads(json.dumps(profile.as_data())), "this machine")
    assert read == profile
    assert read.predict(Stage.MODEL, (20.0, 5.0)) == profile.predict(Stage.MODEL, (20.0, 5.0))


def _altered(path: tuple[str | int, ...], value: object) -> object:
    data = json.loads(json.dumps(Profile.unlearned("k").learned(Stage.ASR, (2.0,), 90.0).as_data()))
    at = data
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return data


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (("schema",), 2, "version"),
        (("key",), "another", "another machine"),
        (("stages",), {}, "stages"),
        (("stages", "asr", "features"), ["chars"], "features"),
        (("stages", "asr", "count"), -1, "shape"),
        (("stages", "asr", "moment"), [1.0], "shape"),
        (("stages", "asr", "gram", 0), [1.0, None], "no number"),
        (("stages", "asr", "gram", 0, 1), 77.0, "no measurements"),
        (("stages", "asr", "gram", 0, 0), -1.0, "no measurements"),
        (("stages", "asr", "square"), float("nan"), "no number"),
        (("stages", "tts", "gram", 0, 0), 3.0, "no measurements"),
        (("stages", "asr", "moment"), [1e6, 1e6], "100 times as long"),
    ],
)
def test_a_profile_that_cannot_be_right_is_not_believed(
    path: tuple[str | int, ...], value: object, says: str
) -> None:
    with pytest.raises(ProfileError, match=says):
        profile_from(_altered(path, value), "k")


@pytest.mark.parametrize("data", [None, [], "profile", {"schema": 1}])
def test_something_else_is_no_profile(data: object) -> None:
    with pytest.raises(ProfileError):
        profile_from(data, "k")


def test_times_that_are_none_are_not_learned() -> None:
    for took in (-1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="no time"):
            StageFit.unlearned(PLAIN).learned((1.0,), took)
    with pytest.raises(ValueError, match="amounts"):
        StageFit.unlearned(PLAIN).learned((), 10.0)
