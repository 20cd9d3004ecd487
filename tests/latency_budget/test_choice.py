"""Which path answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latency_budget.choice import Option, chance, choose
from latency_budget.config import BudgetConfig
from latency_budget.conformal import Conformal
from latency_budget.estimate import Estimate
from latency_budget.exchange import Path
from latency_budget.predictor import Forecast

FRESH = Conformal()
BUDGET = BudgetConfig(budget_ms=500.0, confidence=0.9)


def at(mean: float, sd: float = 20.0) -> Forecast:
    return Forecast(Estimate(mean, sd * sd), FRESH)


def option(
    path: Path, mean: float, quality: float, price: float = 0.0, bridge: float | None = None
) -> Option:
    return Option(path, at(mean), quality, price, None if bridge is None else at(bridge))


def chosen(*options: Option, budget: BudgetConfig = BUDGET) -> str | None:
    found = choose(options, budget).option
    return None if found is None else found.name


def test_the_best_quality_that_is_sure_to_be_in_time() -> None:
    choice = choose([option("fast", 300, 0.6), option("accurate", 470, 0.8)], BUDGET)
    assert choice.option is not None
    assert (choice.option.path, choice.met) == ("accurate", True)
    assert choice.why == "accurate: quality 0.80, heard by 496 ms with 90%"
    assert {name: round(ms) for name, ms in choice.predicted_ms.items()} == {"fast": 326, "accurate": 496}


def test_the_better_one_that_is_not_sure_is_left_and_named() -> None:
    choice = choose([option("fast", 300, 0.6), option("accurate", 490, 0.8)], BUDGET)
    assert choice.option is not None
    assert choice.option.path == "fast"
    assert choice.why.endswith("; accurate (0.80) would keep 500 ms with only 69%")


def test_equal_quality_goes_to_the_earlier_one() -> None:
    assert chosen(option("fast", 300, 0.65), option("speculated", 200, 0.65)) == "speculated"
    assert chosen(option("fast", 300, 0.66), option("speculated", 200, 0.65)) == "fast"


def test_where_none_is_sure_the_likeliest_is_taken() -> None:
    choice = choose([option("fast", 520, 0.6), option("accurate", 700, 0.8)], BUDGET)
    assert choice.option is not None
    assert (choice.option.path, choice.met) == ("fast", False)
    assert choice.why == "no path keeps 500 ms with 90%; fast is the likeliest to (16%)"


def test_where_all_are_hopeless_the_earliest_is_taken() -> None:
    assert chosen(option("accurate", 1800, 0.8), option("fast", 1200, 0.6)) == "fast"


def test_the_safe_sentence_remains() -> None:
    choice = choose([option("fast", 2500, 0.6)], BUDGET)
    assert choice.option is None
    assert choice.why == "no path is expected within 2000 ms: the safe sentence"
    assert choose([], BUDGET).option is None


def test_a_path_above_the_cap_is_not_taken() -> None:
    capped = BudgetConfig(budget_ms=500.0, price_cap=1.0)
    dear = option("accurate", 300, 0.8, price=1.5)
    assert chosen(option("fast", 300, 0.6, price=0.4), dear, budget=capped) == "fast"
    assert chosen(option("fast", 300, 0.6, price=0.4), dear) == "accurate"
    assert "1 above the price cap" in choose([dear], capped).why


def test_a_bridge_counts_for_the_onset_and_the_answer_for_its_own_limit() -> None:
    bridged = option("accurate", 900, 0.8, bridge=250)
    both = BudgetConfig(budget_ms=500.0, content_budget_ms=800.0)
    assert chance(bridged, BUDGET) == pytest.approx(1.0, abs=1e-6)
    assert chance(bridged, both) < 0.01
    assert chosen(bridged) == "accurate+bridge"


means = st.floats(0.0, 3000.0)
options = st.lists(
    st.builds(
        option,
        st.sampled_from(["cached", "speculated", "fast", "accurate"]),
        means,
        st.floats(0.0, 1.0),
        st.floats(0.0, 3.0),
    ),
    max_size=6,
)


@given(options, st.floats(50.0, 2000.0), st.floats(0.51, 0.99))
def test_whatever_is_taken_is_sure_or_nothing_is(
    found: list[Option], budget_ms: float, confidence: float
) -> None:
    budget = BudgetConfig(budget_ms=budget_ms, confidence=confidence)
    choice = choose(found, budget)
    sure = [one for one in found if chance(one, budget) >= confidence]
    assert choice.met == bool(sure)
    if choice.option is not None and sure:
        assert choice.option in sure
        assert choice.option.quality >= max(one.quality for one in sure) - 0.005


@given(options, st.floats(50.0, 1000.0), st.floats(1.0, 2.0))
def test_a_longer_budget_never_lowers_the_quality_that_is_sure(
    found: list[Option], budget_ms: float, more: float
) -> None:
    short, long = (choose(found, BudgetConfig(budget_ms=ms)) for ms in (budget_ms, budget_ms * more))
    if short.met and short.option and long.option:
        assert long.option.quality >= short.option.quality - 0.005
