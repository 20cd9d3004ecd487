"""The search finds what is there, goes on where it stopped, and starts from any settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agent.config.load import load
from agent.tune.knobs import EXACT, Knob, changed, live_knobs, overrides, present
from agent.tune.search import Search, front, journal

KNOBS = (Knob("a", 0.0, 10.0, step=1.0), Knob("b", choices=("x", "y")))


def far(tried: dict[str, Any]) -> list[float]:
    return [abs(tried["a"] - 7.0) + (tried["b"] == "x"), 0.0]


def test_it_finds_the_best() -> None:
    search = Search(None, "far", KNOBS, 2)
    list(search.walk(60, far))
    assert min(values[0] for _, values in search.done) == 0.0


def test_a_point_is_judged_once_and_the_first_one_first() -> None:
    asked: list[dict[str, Any]] = []

    def judge(tried: dict[str, Any]) -> list[float]:
        asked.append(tried)
        return far(tried)

    search = Search(None, "once", KNOBS, 2)
    search.first({"a": 3.0, "b": "x", "unknown": 1})
    list(search.walk(40, judge))
    assert asked[0] == {"a": 3.0, "b": "x"}
    assert len({repr(sorted(one.items())) for one in asked}) == len(asked) < 40


def test_it_goes_on_where_it_stopped(tmp_path: Path) -> None:
    def stopping(tried: dict[str, Any]) -> list[float] | None:
        nonlocal left
        left -= 1
        return far(tried) if left >= 0 else None

    left = 3
    first = Search(journal(tmp_path / "study.log"), "s", KNOBS, 2)
    assert len(list(first.walk(9, stopping))) == 3
    again = Search(journal(tmp_path / "study.log"), "s", KNOBS, 2)
    assert again.done == first.done
    assert len(list(again.walk(9, far))) == 6


def test_settings_outside_the_knobs_are_a_start_too() -> None:
    search = Search(None, "outside", EXACT, 1)
    own = {
        "endpoint.cut_ins": 0.5,
        "endpoint.timeout_ms": 2123.0,
        "endpoint.unfinished_timeout_ms": 9000.0,
        "endpoint.least_ms": 100.0,
    }
    search.first(own)
    list(search.walk(1, lambda tried: [1.0]))
    assert search.done[0][0] == own


def test_the_front_holds_what_nothing_beats() -> None:
    assert front([(1, 5), (2, 2), (3, 3), (5, 1), (5, 2)]) == [0, 1, 3]


def test_every_knob_is_a_key_and_its_own_value_may_be_set() -> None:
    config = load(None, ["asr.partial_every_ms=333"]).config
    knobs = (*EXACT, *live_knobs(config, 2))
    own = present(config, knobs)
    assert load(None, overrides(own)).config == config
    search = Search(None, "own", knobs, 1)
    search.first(own)
    list(search.walk(1, lambda tried: [1.0]))
    assert search.done[0][0] == own


def test_one_core_leaves_no_threads_to_choose() -> None:
    keys = [knob.key for knob in live_knobs(load(None).config, 1)]
    assert not [key for key in keys if key.endswith("threads")]


def test_only_what_differs_is_a_change() -> None:
    assert changed({"a": 1, "b": 2}, {"a": 1, "b": 3}) == {"b": (2, 3)}
