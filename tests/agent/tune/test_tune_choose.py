"""What is held back, which point is chosen, and when tuned settings are kept."""

from __future__ import annotations

import pytest

from agent.report.compare import Comparison, Line, Pairing
from agent.tune.choose import best_live, best_of, hold_back, marked, plain, quickest, verdict
from agent.tune.result import Point


def point(cut_ins: float, waited_ms: float, within: float = 0.5, quality: float | None = None) -> Point:
    return Point(settings={}, cut_ins=cut_ins, waited_ms=waited_ms, within=within, quality=quality)


def confirmed(**verdicts: str) -> Comparison:
    lines = [
        Line(
            name=name.replace("_", " ").replace("cut ins", "cut-ins"),
            unit="ms",
            pairs=10,
            first=10.0,
            second=9.0,
            difference=-1.0,
            interval=(-2.0, -0.5),
            verdict=found,  # type: ignore[arg-type]
        )
        for name, found in verdicts.items()
    ]
    pairing = Pairing(
        name="after", pairs=10, only_first=0, only_second=0, drawn="turns", apart=[], lines=lines,
        quicker=[], slower=[], mended=[], broken=[],
    )  # fmt: skip
    return Comparison(first="before", others=[pairing])


@pytest.mark.parametrize(
    ("count", "held"), [(1, []), (2, [1]), (3, [2]), (4, [2]), (6, [2, 5]), (9, [2, 5, 8])]
)
def test_calls_are_held_back(count: int, held: list[int]) -> None:
    searched, back = hold_back(range(count))
    assert back == held
    assert sorted([*searched, *back]) == list(range(count))


def test_a_trial_takes_the_shortest_calls_and_one_at_least() -> None:
    assert quickest([200.0, 50.0, 100.0, 70.0], 180.0) == [1, 3]
    assert quickest([400.0], 180.0) == [0]


def test_the_best_keeps_the_limit_and_answers_most_turns() -> None:
    points = [point(0.1, 200, 0.9), point(0.03, 500, 0.6), point(0.0, 450, 0.6), point(0.0, 400, 0.4)]
    assert best_of(points, 0.03) is points[2]
    assert best_of(points, 0.2) is points[0]
    assert best_of([point(0.2, 100), point(0.1, 900), point(0.1, 800)], 0.03).waited_ms == 800


def test_a_quicker_trial_may_not_be_worse_in_what_it_says_or_cuts() -> None:
    first = point(0.05, 600, quality=0.8)
    worse = [point(0.06, 300, quality=0.8), point(0.05, 300, quality=0.77)]
    fair = point(0.05, 550, quality=0.79)
    assert best_live([first, *worse, fair], 0.03) is fair
    assert best_live([first, *worse], 0.03) is first


def test_equal_points_stand_once_on_the_front() -> None:
    marks = [
        one.front for one in marked([point(0.1, 300), point(0.1, 300), point(0.0, 400), point(0.1, 310)])
    ]
    assert marks == [True, False, True, False]


def test_what_replays_say_decides() -> None:
    keep, why = verdict(confirmed(V2V_mean="worse", missed="worse"), broke_limit=False)
    assert (keep, "V2V mean, missed" in why) == (False, True)
    keep, why = verdict(confirmed(V2V_mean="better"), broke_limit=False)
    assert (keep, "bear out" in why) == (True, True)
    keep, why = verdict(confirmed(V2V_mean="noise"), broke_limit=False)
    assert (keep, "Nothing is proven" in why) == (True, True)


def test_fewer_cut_ins_may_cost_time_where_there_were_too_many() -> None:
    slower = confirmed(V2V_mean="worse", cut_ins="noise")
    assert verdict(slower, broke_limit=True)[0] is True
    assert verdict(slower, broke_limit=False)[0] is False
    missed = confirmed(V2V_mean="worse", cut_ins="noise", missed="worse")
    assert verdict(missed, broke_limit=True)[0] is False


def test_settings_are_written_as_people_write_them() -> None:
    assert plain({"a": 2.0, "b": 0.064931, "c": "[]"}) == {"a": 2, "b": 0.0649, "c": "[]"}
