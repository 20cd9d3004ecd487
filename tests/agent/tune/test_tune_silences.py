"""What turn-end settings would have brought, on made silences with exact numbers."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from agent.bench.turn_end_evidence import Asked
from agent.bench.turn_end_fused import load_held_out
from agent.bench.turn_end_walk import Kind, Silence
from agent.tune.silences import Judge, Ready


def asked(turn: int, kind: Kind, length_ms: float, text: str = "What is it?") -> Asked:
    silence = Silence(turn, kind, 1000.0, length_ms, 0.0, 1000.0, "Yes?", ())
    return Asked("call", silence, {}, text, 0.5)


@pytest.fixture
def timed(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Every silence ends its turn after so many ms, or at the time-out."""

    def at(ms: float) -> None:
        monkeypatch.setattr("agent.tune.silences.Fused.commit_ms", lambda self, _: min(ms, self.timeout_ms))

    return at


def judge(found: list[Asked], ready: Ready) -> Judge:
    return Judge({"call": found}, load_held_out(), ready, 500.0)


def test_a_reply_sounds_at_the_turns_end_or_when_it_is_ready(timed: Callable[[float], None]) -> None:
    timed(400.0)
    found = [asked(0, "shift", math.inf), asked(1, "shift", math.inf)]
    got = judge(found, Ready({("call", 1): 600.0}, usual_ms=100.0, output_ms=20.0)).expected(0.05, 3000, 3000)
    assert (got.turns, got.waited_ms, got.within, got.cut_ins) == (2, (420 + 620) / 2, 0.5, 0.0)


def test_a_pause_is_cut_only_if_the_reply_would_sound_in_it(timed: Callable[[float], None]) -> None:
    timed(400.0)
    found = [asked(0, "hold", 450.0), asked(0, "shift", math.inf)]
    assert judge(found, Ready({}, 100.0, 20.0)).expected(0.05, 3000, 3000).cut_ins == 1.0
    assert judge(found, Ready({}, 440.0, 20.0)).expected(0.05, 3000, 3000).cut_ins == 0.0


def test_an_unfinished_sentence_has_its_own_time_out(timed: Callable[[float], None]) -> None:
    timed(math.inf)
    found = [asked(0, "shift", math.inf, "And then I"), asked(1, "shift", math.inf)]
    got = judge(found, Ready({}, 0.0, 0.0)).expected(0.05, 1000.0, 2000.0)
    assert got.waited_ms == 1500.0


def test_no_turn_at_all_is_an_error(timed: Callable[[float], None]) -> None:
    timed(400.0)
    with pytest.raises(ValueError, match="no silence"):
        judge([asked(0, "hold", 300.0)], Ready({})).expected(0.05, 3000, 3000)
