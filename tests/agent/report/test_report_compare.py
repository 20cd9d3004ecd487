"""Comparisons: exact differences, honest intervals, and no claim that the data do not bear."""

from __future__ import annotations

import io
import time
from itertools import pairwise
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from scripted_call import context, exchange, report

from agent.cli import app as root
from agent.errors import AgentError
from agent.report.build import CallFacts, Rows, build_report
from agent.report.compare import Comparison, Line, compare
from agent.report.compare_html import render_comparison, rows
from agent.report.compare_read import read_report
from agent.report.compare_statistics import Resampler, tail, verdict
from agent.report.compare_table import print_comparison
from agent.report.rows import turn_rows
from agent.report.schema import Report
from agent.report.write import write_report
from latency_budget.config import BudgetConfig
from latency_budget.exchange import CallerTurn
from latency_budget.outcome import match

SPACING = 10_000.0


def made(waits: dict[str, list[float | None]]) -> Report:
    """A report with these V2V, by call; None is a turn that nobody answered."""
    turns, facts = [], []
    for call, every in waits.items():
        callers, exchanges = [], []
        for number, wait in enumerate(every):
            end = SPACING * number + 2000
            callers.append(CallerTurn(number, end - 1000, end))
            if wait is not None:
                exchanges.append(
                    exchange(number, end + wait - 200, ((end + wait, end + wait + 500),), "Yes.", "No.")
                )
        turns += turn_rows(call, match(callers, exchanges), {}, BudgetConfig())
        facts.append(CallFacts(call, SPACING * len(every) / 1000, "labels", False, len(every)))
    return build_report(Rows(turns), context(calls=tuple(facts)))


def line(found: Comparison, name: str) -> Line:
    return next(line for line in found.others[0].lines if line.name == name)


def held(one: Report, two: Report) -> Comparison:
    return compare([("one", one), ("two", two)])


def noisy(seed: int, shift: float = 0.0, turns: int = 30) -> Report:
    rng = np.random.default_rng(seed)
    return made({"a": [round(float(wait)) for wait in rng.normal(600 + shift, 80, turns).clip(250)]})


def test_a_run_against_itself_differs_in_nothing() -> None:
    found = held(report(), report()).others[0]
    assert {one.verdict for one in found.lines} == {"noise"}
    assert {one.interval for one in found.lines} == {(0.0, 0.0)}
    assert (found.quicker, found.slower, found.mended, found.broken, found.apart) == ([], [], [], [], [])


def test_a_steady_gain_is_claimed_with_its_size() -> None:
    found = held(noisy(1), made({"a": [wait - 100 for wait in waits(noisy(1))]}))
    mean = line(found, "V2V mean")
    assert (mean.difference, mean.interval, mean.verdict, mean.pairs) == (-100, (-100, -100), "better", 30)
    assert line(found, "V2V p50").difference == -100
    assert line(found, "V2V p95").verdict == "better"
    assert line(found, "part: model").verdict == "noise"


def waits(found: Report) -> list[float]:
    return [turn.v2v_ms for turn in found.turns if turn.v2v_ms is not None]


def test_turns_that_are_no_longer_answered_are_missed_and_not_quick() -> None:
    """Dropping the ten slowest turns changes no latency of the others, but the shares show it."""
    slow = [300.0] * 20 + [450.0] * 10
    found = held(made({"a": list(slow)}), made({"a": [*slow[:20], *[None] * 10]}))
    assert line(found, "V2V mean").verdict == "noise"
    assert line(found, "V2V mean").pairs == 20
    within, missed = line(found, "answered within 500 ms"), line(found, "missed")
    assert (within.first, within.second, within.verdict, within.pairs) == (1.0, 0.667, "worse", 30)
    assert (missed.difference, missed.verdict) == (0.333, "worse")
    assert [turn.turn for turn in found.others[0].broken] == list(range(20, 30))


@pytest.mark.parametrize(("turns", "verdict"), [(1, "too few"), (5, "too few"), (6, "better")])
def test_few_turns_claim_nothing_however_clear_they_look(turns: int, verdict: str) -> None:
    found = held(made({"a": [900.0] * turns}), made({"a": [400.0] * turns}))
    assert line(found, "V2V mean").verdict == verdict
    assert line(found, "answered within 500 ms").verdict == verdict


def test_noise_is_called_noise_about_as_often_as_it_should() -> None:
    """200 pairs of runs that differ by chance alone: the 95 % intervals leave out 0 in about one of twenty."""
    claimed = sum(
        line(held(noisy(2 * n), noisy(2 * n + 1)), "V2V mean").verdict != "noise" for n in range(200)
    )
    assert 2 <= claimed <= 20, claimed


def test_a_real_shift_of_a_standard_deviation_is_found() -> None:
    found = [line(held(noisy(2 * n), noisy(2 * n + 1, -80.0)), "V2V mean") for n in range(50)]
    assert sum(one.verdict == "better" for one in found) >= 45
    assert sum(one.interval[0] <= -80 <= one.interval[1] for one in found) >= 42


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(*[st.one_of(st.none(), st.integers(210, 3000))] * 2), min_size=1, max_size=30))
def test_no_claim_ever_has_an_interval_that_holds_0(pairs: list[tuple[int | None, int | None]]) -> None:
    one, two = (made({"a": [pair[side] for pair in pairs]}) for side in (0, 1))
    for figure in held(one, two).others[0].lines:
        low, high = figure.interval
        if low <= 0 <= high:
            assert figure.verdict == "noise"
        assert low <= high
        assert low - 1 <= figure.difference <= high + 1 or figure.name.startswith("V2V p")


def test_whole_calls_are_drawn_where_there_are_enough_of_them() -> None:
    """Eight calls, each shifted as a whole: 80 turns are no 80 witnesses."""
    shifts = [-150, 140, -130, 120, -110, 100, -90, -80]
    one = made({f"c{n}": [600.0 + 5 * k for k in range(10)] for n in range(8)})
    two = made({f"c{n}": [600.0 + 5 * k + shift for k in range(10)] for n, shift in enumerate(shifts)})
    found = held(one, two)
    assert found.others[0].drawn == "calls"
    by_call = line(found, "V2V mean")
    turns = Resampler(["one"] * 80)
    low, high = turns.interval(turns.means(np.repeat(np.array(shifts, float), 10)))
    assert by_call.interval[1] - by_call.interval[0] > 2 * (high - low)


def test_the_bootstrap_takes_percentiles_as_numpy_does() -> None:
    values = np.random.default_rng(5).normal(500, 100, 37)
    drawn = Resampler(["one"] * 37)
    for percent in (0, 50, 95, 100):
        found = drawn.percentiles(values, percent)
        for number in range(0, 2000, 400):
            sample = np.repeat(values, drawn._weights[number].astype(int))
            assert found[number] == pytest.approx(np.percentile(sample, percent))


@pytest.mark.parametrize(("units", "t"), [(6, 2.5706), (8, 2.3646), (30, 2.0452), (10_000, 1.9602)])
def test_the_tails_are_those_of_students_t(units: int, t: float) -> None:
    wanted = 100 * NormalDist().cdf(-t * (units / (units - 1)) ** 0.5)
    assert tail(units) == pytest.approx(wanted, rel=0.01)


def test_eight_turns_are_not_more_sure_of_themselves_than_they_may_be() -> None:
    rng, drawn = np.random.default_rng(8), Resampler(["one"] * 8)
    ends = [drawn.interval(drawn.means(rng.normal(0, 80, 8))) for _ in range(1000)]
    assert sum(not low <= 0 <= high for low, high in ends) <= 80


def test_a_verdict_needs_an_interval_without_0_and_six_pairs() -> None:
    assert verdict(-5, -1, 6, less_is_better=True) == "better"
    assert verdict(-5, -1, 6, less_is_better=False) == "worse"
    assert verdict(1, 5, 6, less_is_better=True) == "worse"
    assert verdict(-5, -1, 5, less_is_better=True) == "too few"
    assert verdict(-5, 0, 99, less_is_better=True) == "noise"


def test_only_turns_of_both_runs_are_paired() -> None:
    one, two = made({"a": [300.0, 400.0], "b": [300.0]}), made({"a": [310.0, 400.0, 500.0], "c": [1.0 + 209]})
    found = held(one, two).others[0]
    assert (found.pairs, found.only_first, found.only_second) == (2, 1, 2)
    assert [(turn.call, turn.turn, turn.difference_ms) for turn in found.slower] == [("a", 0, 10)]


def test_what_else_is_not_the_same_is_said() -> None:
    other = report().model_copy(update={"config": report().config.model_copy(update={"sha256": "cd" * 32})})
    assert held(report(), other).others[0].apart == ["configuration: ab12ab12 | cdcdcdcd"]


def test_a_thousand_turns_take_less_than_two_seconds() -> None:
    names = [f"c{n}" for n in range(50)]
    one, two = (
        made(
            {name: [300.0 + (7 * k + 13 * n * side) % 400 for k in range(20)] for n, name in enumerate(names)}
        )
        for side in (1, 2)
    )
    begun = time.perf_counter()
    found = held(one, two)
    assert time.perf_counter() - begun < 2.0
    assert found.others[0].pairs == 1000


def text(found: Comparison) -> str:
    console = Console(file=io.StringIO(), width=100, color_system=None)
    print_comparison(found, console)
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def test_people_read_figures_intervals_and_claims() -> None:
    shown = text(held(noisy(1), made({"a": [wait - 100 for wait in waits(noisy(1))]})))
    assert "one  ->  two" in shown
    assert "30 turns in both; 95 % intervals from a bootstrap over turns" in shown
    claims = shown[shown.index("better:") :]
    assert "V2V mean -100 ms (-100 to -100)" in " ".join(claims.split())
    assert "worse: nothing" in shown
    assert max(map(len, shown.splitlines())) <= 100


def test_the_page_shows_the_same_and_is_the_same_every_time() -> None:
    found = held(noisy(1), noisy(2, -80.0))
    page = render_comparison(found)
    assert page == render_comparison(held(noisy(1), noisy(2, -80.0)))
    assert "://" not in page
    for one in rows(found.others[0]):
        assert one.difference in page
        assert one.left - 0.2 <= one.at <= one.left + one.width + 0.2 or one.line.name.startswith("V2V p")
    assert "&lt;b&gt;" in render_comparison(compare([("<b>", noisy(1)), ("two", noisy(2))]))


def test_the_command_takes_files_and_folders(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, found in (("one", noisy(1)), ("two", noisy(2)), ("three", noisy(3))):
        write_report(found, tmp_path / name / "report.json")
    files = [str(tmp_path / "one"), str(tmp_path / "two" / "report.json"), str(tmp_path / "three")]
    assert root.run(["compare", *files, "--json", "-", "--html", str(tmp_path / "page.html")]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    found = Comparison.model_validate_json(last)
    assert [other.name for other in found.others] == files[1:]
    assert (tmp_path / "page.html").read_text() == render_comparison(found)


def test_what_cannot_be_compared_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_report(noisy(1), tmp_path / "report.json")
    write_report(made({"other": [300.0]}), tmp_path / "other" / "report.json")
    (tmp_path / "bad.json").write_text('{"schema": 1}')
    for args, words in (
        ([str(tmp_path)], "one report alone"),
        ([str(tmp_path), str(tmp_path / "gone.json")], "gone.json cannot be read"),
        ([str(tmp_path), str(tmp_path / "bad.json")], "bad.json is no report: started_at"),
        ([str(tmp_path), str(tmp_path / "other")], "no turn in common"),
        ([str(tmp_path), str(tmp_path), "--json", "x"], "only `--json -`"),
    ):
        assert root.run(["compare", *args]) == 2
        assert words in " ".join(capsys.readouterr().err.split())
    with pytest.raises(AgentError, match="is no report"):
        read_report(tmp_path / "bad.json")


def test_names_are_in_the_order_given() -> None:
    found = compare([(name, noisy(1)) for name in ("a", "b", "c")])
    assert found.first == "a"
    assert all(one.name < two.name for one, two in pairwise(found.others))
