"""Quantiles that are kept."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latency_budget.conformal import STEP, TARGET, Conformal
from latency_budget.estimate import Estimate

HUNDRED = Estimate(100.0, 100.0)


def test_before_anything_was_seen_it_is_the_normal_distribution() -> None:
    fresh = Conformal()
    assert fresh.quantile(HUNDRED, 0.5) == pytest.approx(100.0, abs=0.05)
    assert fresh.quantile(HUNDRED, 0.95) == pytest.approx(HUNDRED.quantile(0.95), abs=0.1)
    assert fresh.chance_within(HUNDRED, 116.45) == pytest.approx(0.95, abs=0.001)


def test_a_miss_raises_the_level_and_a_hit_lowers_it_by_a_nineteenth_of_that() -> None:
    assert Conformal().seen(HUNDRED, 200.0).alpha == pytest.approx(TARGET - STEP * (1.0 - TARGET))
    assert Conformal().seen(HUNDRED, 100.0).alpha == pytest.approx(TARGET + STEP * TARGET)


def test_misses_in_a_row_have_one_cause_unless_they_go_on() -> None:
    conformal = Conformal().seen(HUNDRED, 200.0)
    for _ in range(4):
        before, conformal = conformal, conformal.seen(HUNDRED, 200.0)
        assert conformal.alpha == before.alpha
    assert conformal.seen(HUNDRED, 200.0).alpha < conformal.alpha


def test_a_reply_that_the_wait_covered_teaches_no_error() -> None:
    waited = Estimate(100.0, 100.0, floor_ms=300.0)
    assert Conformal().seen(waited, 300.0).scores == Conformal().scores


NOISES: dict[str, Callable[[random.Random], float]] = {
    "normal": lambda chance: chance.gauss(100.0, 10.0),
    "wider than predicted": lambda chance: chance.gauss(100.0, 30.0),
    "narrower": lambda chance: chance.gauss(100.0, 3.0),
    "biased": lambda chance: chance.gauss(115.0, 10.0),
    "long tail": lambda chance: 90.0 + chance.expovariate(1 / 12.0),
    "one in thirty hangs": lambda chance: chance.gauss(100.0, 10.0) + 400.0 * (chance.random() < 1 / 30),
}


@pytest.mark.parametrize("noise", NOISES)
def test_the_p95_covers_93_to_97_percent_whatever_the_noise(noise: str) -> None:
    chance, conformal, covered = random.Random(7), Conformal(), 0
    for at in range(3000):
        took = NOISES[noise](chance)
        if at >= 1000:
            covered += took <= conformal.quantile(HUNDRED, 0.95)
        conformal = conformal.seen(HUNDRED, took)
    assert 0.93 <= covered / 2000 <= 0.97


times = st.lists(st.floats(0.0, 1000.0), max_size=60)


@given(times, st.floats(0.01, 0.985), st.floats(0.01, 0.985))
def test_quantiles_rise_whatever_was_seen(seen: list[float], one: float, two: float) -> None:
    conformal = Conformal()
    for took in seen:
        conformal = conformal.seen(HUNDRED, took)
    low, high = sorted((one, two))
    assert conformal.quantile(HUNDRED, low) <= conformal.quantile(HUNDRED, high)


@given(times, st.floats(0.6, 0.985))
def test_the_chance_is_the_inverse_of_the_quantile(seen: list[float], share: float) -> None:
    conformal = Conformal()
    for took in seen:
        conformal = conformal.seen(HUNDRED, took)
    at = conformal.quantile(HUNDRED, share)
    low = conformal.chance_within(HUNDRED, at - 1e-6)
    high = conformal.chance_within(HUNDRED, at + 1e-6)
    assert low - 0.02 <= share <= high + 0.02
