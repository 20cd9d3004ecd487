"""A time as a distribution."""

from __future__ import annotations

from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latency_budget.estimate import Estimate

means = st.floats(0.0, 5000.0)
variances = st.floats(0.0, 1e6)
shares = st.floats(0.001, 0.999)


def test_quantiles_and_chances_are_those_of_a_normal_distribution() -> None:
    estimate = Estimate(300.0, 400.0)
    assert estimate.quantile(0.5) == 300.0
    assert estimate.quantile(0.95) == pytest.approx(332.897, abs=0.001)
    assert estimate.chance_within(320.0) == pytest.approx(0.841345, abs=1e-6)


def test_nothing_is_heard_before_the_wait_is_over() -> None:
    estimate = Estimate(100.0, 100.0, floor_ms=250.0)
    assert estimate.quantile(0.95) == 250.0
    assert estimate.chance_within(249.9) == 0.0
    assert estimate.chance_within(250.0) == pytest.approx(1.0)


def test_work_without_spread_is_certain() -> None:
    assert Estimate(100.0).chance_within(99.9) == 0.0
    assert Estimate(100.0).chance_within(100.1) == 1.0


def test_what_is_left_of_running_work_are_the_moments_of_the_part_that_is_left() -> None:
    # Half a normal distribution: mean sqrt(2/pi), variance 1 - 2/pi.
    left = Estimate(100.0, 100.0).left_after(100.0)
    assert left.mean_ms == pytest.approx(7.97885, abs=1e-4)
    assert left.variance == pytest.approx(36.338, abs=1e-3)


def test_work_that_has_just_begun_has_the_rest_of_it_left() -> None:
    left = Estimate(1000.0, 100.0).left_after(100.0)
    assert (left.mean_ms, left.variance) == (900.0, 100.0)


@given(st.floats(10.0, 1000.0), st.floats(1.0, 100.0), st.floats(1.0, 50.0))
def test_the_longer_work_is_overdue_the_longer_it_is_expected_to_take(
    mean: float, sd: float, sds: float
) -> None:
    late = mean + 2.0 * sd * (1.0 + sds)
    sooner, later = (Estimate(mean, sd * sd).left_after(at) for at in (late, late * 2.0))
    assert 0.0 < sooner.mean_ms < later.mean_ms


@given(means, variances, st.floats(0.0, 2000.0), shares, shares)
def test_quantiles_rise(mean: float, variance: float, floor: float, one: float, two: float) -> None:
    estimate = Estimate(mean, variance, floor)
    assert floor <= estimate.quantile(min(one, two)) <= estimate.quantile(max(one, two))


@given(means, variances, st.floats(0.0, 1e4))
def test_what_is_left_is_a_time(mean: float, variance: float, spent: float) -> None:
    left = Estimate(mean, variance).left_after(spent)
    assert left.mean_ms >= 0.0
    assert left.variance >= 0.0


def test_no_distribution_has_a_spread_below_zero_or_no_mean() -> None:
    with pytest.raises(ValueError, match="no distribution"):
        Estimate(100.0, -1.0)
    with pytest.raises(ValueError, match="no distribution"):
        Estimate(float("nan"))


def test_normal_quantiles_agree_with_the_standard_library() -> None:
    assert Estimate(0.0, 1.0).quantile(0.9) == NormalDist().inv_cdf(0.9)
