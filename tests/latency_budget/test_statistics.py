import pytest
from hypothesis import given
from hypothesis import strategies as st

from latency_budget.statistics import (
    Share,
    Summary,
    median,
    percentile,
    share,
    share_within,
    summarise,
    wilson,
)

values = st.lists(st.floats(0, 1e5, allow_nan=False), min_size=1, max_size=50)


@pytest.mark.parametrize(
    ("percent", "expected"), [(0, 10), (25, 17.5), (50, 25), (90, 37), (95, 38.5), (99, 39.7), (100, 40)]
)
def test_percentiles_lie_between_the_sorted_values(percent: float, expected: float) -> None:
    assert percentile([40, 10, 30, 20], percent) == pytest.approx(expected, abs=1e-9)


def test_one_value_is_every_percentile() -> None:
    assert [percentile([7.0], percent) for percent in (0, 50, 99, 100)] == [7, 7, 7, 7]


def test_the_median_of_an_even_count_is_the_middle() -> None:
    assert median([1, 2, 3, 10]) == 2.5


def test_no_values_have_no_percentile() -> None:
    with pytest.raises(ValueError, match="no values"):
        percentile([], 50)
    assert summarise([]) == Summary(0, None, None, None, None)


@pytest.mark.parametrize("percent", [-1, 100.5])
def test_percent_out_of_range(percent: float) -> None:
    with pytest.raises(ValueError, match=r"0\.\.100"):
        percentile([1.0], percent)


@given(values, st.floats(0, 100), st.floats(0, 100))
def test_percentiles_grow_and_stay_inside(found: list[float], one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert min(found) <= percentile(found, low) <= percentile(found, high) + 1e-9 <= max(found) + 1e-9


@given(values, st.floats(0, 100))
def test_percentiles_are_numpys(found: list[float], percent: float) -> None:
    numpy = pytest.importorskip("numpy")
    assert percentile(found, percent) == pytest.approx(
        float(numpy.percentile(found, percent)), rel=1e-9, abs=1e-9
    )


def test_summary_of_known_values() -> None:
    assert summarise([100, 200, 300, 400, 500]) == Summary(5, 300, 460, 480, 496)


def test_wilson_interval_against_the_published_formula() -> None:
    """5 of 10: (0.2366, 0.7634), the textbook value at 95 %."""
    low, high = wilson(5, 10)
    assert (round(low, 4), round(high, 4)) == (0.2366, 0.7634)


def test_wilson_at_the_edges() -> None:
    """0 of 20 and 20 of 20: z^2 / (n + z^2) = 0.1611."""
    assert [round(bound, 4) for bound in wilson(0, 20)] == [0, 0.1611]
    assert [round(bound, 4) for bound in wilson(20, 20)] == [0.8389, 1]


@given(st.integers(1, 2000).flatmap(lambda count: st.tuples(st.integers(0, count), st.just(count))))
def test_the_interval_holds_the_share(pair: tuple[int, int]) -> None:
    found = share(*pair)
    assert found.low is not None
    assert found.value is not None
    assert found.high is not None
    assert 0 <= found.low <= found.value <= found.high <= 1


def test_shares_count_the_limit_itself() -> None:
    found = share_within([199, 200, 201, 500], 200)
    assert (found.hits, found.count, found.value) == (2, 4, 0.5)


def test_nothing_counted_is_no_share() -> None:
    assert share(0, 0) == Share(0, 0, None, None, None)
    with pytest.raises(ValueError, match="make no share"):
        share(2, 1)
