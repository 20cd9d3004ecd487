"""Policies, tallies and the curve, on made evidence."""

from __future__ import annotations

import math

import pytest

from agent.bench.turn_end_evidence import Asked
from agent.bench.turn_end_policy import Scheduled, SoundAlone, Timer, evidence_at, sound_known
from agent.bench.turn_end_score import curve, score
from agent.bench.turn_end_walk import Kind, Silence

INF = math.inf


def asked(turn: int, kind: Kind, length_ms: float, sound: float, *, late_ms: float = 0.0) -> Asked:
    silence = Silence(turn, kind, 1000.0 + late_ms, length_ms, 0.0, 1000.0, "What is it?", ())
    asks = (64.0, 96.0, 128.0, 160.0, 192.0, 224.0, 256.0)
    return Asked("call", silence, {at: sound for at in asks if at <= length_ms}, "It is this.", 0.01)


def test_answers_count_from_when_they_are_there() -> None:
    one = asked(0, "shift", INF, 0.9)
    assert sound_known(one, 96.0) == ()
    assert sound_known(one, 128.0) == (0.9,)
    assert sound_known(one, 224.0) == (0.9, 0.9)
    assert evidence_at(one, 128.0).text is None
    assert evidence_at(one, 160.0).text == "It is this."
    assert evidence_at(one, 160.0).text_end is None
    assert evidence_at(one, 192.0).text_end == 0.01


def test_when_each_way_commits() -> None:
    sure, unsure = asked(0, "shift", INF, 0.9), asked(0, "shift", INF, 0.1)
    assert Timer(300.0).commit_ms(sure) == 320.0
    assert SoundAlone().commit_ms(sure) == 224.0 + 64.0
    assert SoundAlone().commit_ms(unsure) == 3008.0
    schedule = Scheduled(lambda p: 352.0 if p is not None and p >= 0.9 else 1400.0)
    assert (schedule.commit_ms(sure), schedule.commit_ms(unsure)) == (352.0, 1408.0)


def test_cut_ins_and_dead_air_are_counted_once_a_turn() -> None:
    calls = {
        "call": [
            asked(0, "hold", 160.0, 0.5),
            asked(0, "hold", 288.0, 0.5),
            asked(0, "hold", 900.0, 0.5),
            asked(0, "shift", 256.0, 0.5, late_ms=50.0),
            asked(0, "shift", INF, 0.5, late_ms=400.0),
        ]
    }
    got = score(Timer(320.0), calls)
    # In the pause of 288 ms the commit falls into the first window of voice, which does not yet break the silence.
    assert (got.cut_ins.hits, got.cut_ins.count, got.short_cut_ins) == (2, 2, 0)
    assert got.dead_air_ms == [720.0]  # a noise broke the first silence after the end
    assert score(Timer(160.0), calls).short_cut_ins == 1


def test_the_curve_takes_the_best_setting_that_keeps_to_the_point() -> None:
    calls = {f"c{i}": [asked(0, "hold", 500.0, 0.1), asked(0, "shift", INF, 0.9)] for i in range(10)}
    family = [score(Timer(ms), calls) for ms in (200.0, 400.0, 800.0)]
    got = curve("timer", family, shares=(0.05,), means_ms=(300.0, 500.0))
    assert got.dead_air_ms[0.05].value == 800.0
    assert got.cut_ins[500.0].value == 1.0
    assert (got.dead_air_ms[0.05].low, got.dead_air_ms[0.05].high) == (800.0, 800.0)
    assert curve("timer", family[2:], means_ms=(300.0,)).cut_ins[300.0].value is None


def test_a_curve_that_never_keeps_to_the_share_says_so() -> None:
    calls = {"c": [asked(0, "hold", 5000.0, 0.9), asked(0, "shift", INF, 0.9)]}
    got = curve("timer", [score(Timer(200.0), calls)], shares=(0.05,))
    assert got.dead_air_ms[0.05].value is None
    assert pytest.approx(200.0, abs=30.0) == score(Timer(200.0), calls).mean_ms
