"""The slow-down factor."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latency_budget.kalman import SlowDown


def test_one_step_of_the_filter() -> None:
    # variance (1 - 0.5) * 0.01 + 0.0004 = 0.0054, gain 0.0054 / (0.0054 + 0.0046) = 0.54, mean 1 + 0.54 * 0.5.
    after = SlowDown().measured(1.5, 0.0046)
    assert after.variance == pytest.approx(0.0054)
    assert after.gain == pytest.approx(0.54)
    assert after.mean == pytest.approx(1.27)
    # The process noise remembers the move of 0.27 beyond the 0.54 * 0.0054 that noise explains.
    assert after.measured(1.5, 0.0046).process == pytest.approx(0.3 * 0.0004 + 0.7 * (0.27**2 - 0.002916))


@pytest.mark.parametrize("factor", [0.5, 1.6, 2.0, 4.0])
def test_a_load_step_is_followed_within_ten_turns_and_back(factor: float) -> None:
    slow = SlowDown()
    for wanted in (factor, 1.0):
        for _ in range(10):
            slow = slow.measured(wanted, 0.02)
        assert slow.mean == pytest.approx(wanted, rel=0.05)


def test_in_steady_load_it_grows_calm() -> None:
    slow = SlowDown()
    for _ in range(50):
        slow = slow.measured(1.0, 0.02)
    assert slow.mean == 1.0
    assert slow.gain < 0.2
    assert slow.variance < 0.004


def test_one_hung_stage_does_not_throw_it_far() -> None:
    slow = SlowDown()
    for _ in range(20):
        slow = slow.measured(1.0, 0.02)
    assert slow.measured(1e9, 0.02).mean == slow.measured(20.0, 0.02).mean


@given(st.lists(st.floats(0.0, 1e6), max_size=50), st.floats(1e-6, 10.0))
def test_factor_and_variance_stay_above_zero(ratios: list[float], noise: float) -> None:
    slow = SlowDown()
    for ratio in ratios:
        slow = slow.measured(ratio, noise)
        assert 0.0 < slow.mean <= 20.0 * 1.001
        assert slow.variance > 0.0
        assert 0.0 < slow.gain <= 1.0


def test_what_is_no_measurement_is_refused() -> None:
    for ratio, noise in ((float("nan"), 1.0), (1.0, 0.0)):
        with pytest.raises(ValueError, match="no measurement"):
            SlowDown().measured(ratio, noise)
