"""The language model's word on the turn end: asked with what the agent said, missed by nobody when it breaks."""

from __future__ import annotations

import pytest

from agent.turn import Asked, Heard, Known, Rules, Scored, ScoreWords, State, Window, WordsScored, step


def paused(rules: Rules) -> tuple[State, float]:
    state = State()
    for voiced in [True] * 10 + [False] * 3:
        state, _ = step(state, Window(state.position_ms + 32.0, voiced), rules)
    return state, state.last_voiced_ms


def test_the_words_are_scored_once_they_are_there_and_count() -> None:
    told: list[Known] = []

    def hold(known: Known) -> float:
        told.append(known)
        return 5000.0

    rules = Rules(hold_ms=hold)
    state, covers = paused(rules)
    state, _ = step(state, Asked(1, "What is your name?"), rules)
    state, actions = step(state, Heard(1, covers, "It is Sam."), rules)
    assert ScoreWords(1, covers, "It is Sam.") in actions
    state, _ = step(state, Scored(1, covers, 0.8), rules)
    step(state, WordsScored(1, covers, 0.02), rules)
    assert told[-1] == Known((0.8,), "It is Sam.", 0.02, "What is your name?", (), 320.0)


@pytest.mark.parametrize("late", [WordsScored(1, 1.0, 0.9), WordsScored(7, 320.0, 0.9), Asked(7, "Hello?")])
def test_news_of_another_pause_or_turn_is_dropped_and_counted(late: WordsScored | Asked) -> None:
    rules = Rules(hold_ms=lambda known: 5000.0)
    state, _ = paused(rules)
    after, actions = step(state, late, rules)
    assert (after.stale, after.words_score, after.said, actions) == (state.stale + 1, None, "", ())


def test_no_words_close_the_turn_without_waiting_for_the_time_out() -> None:
    rules = Rules(hold_ms=lambda known: 5000.0)
    state, covers = paused(rules)
    state, _ = step(state, Heard(1, covers, "", "noise"), rules)
    found = []
    while state.position_ms < covers + 1400.0:
        state, actions = step(state, Window(state.position_ms + 32.0, False), rules)
        found += actions
    assert [type(action).__name__ for action in found if type(action).__name__ != "Score"] == ["Drop"]
