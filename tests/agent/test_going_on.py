"""A caller who goes on after the commit: the agent is silent at once, the turn goes on, nothing is lost."""

from __future__ import annotations

from dataclasses import replace

from agent.turn import Known, Phase, Rules, State, Window, Withdraw, step
from tests.agent.test_pipeline import ScriptedSeat, caller, run

LONG = "Certainly here is a rather long answer to what you said just now. " * 3


async def test_the_agent_is_silent_within_150_ms_when_the_caller_goes_on_over_the_reply() -> None:
    resumed_ms = 2500.0
    ran = await run(
        caller((320, 1600), (resumed_ms, 3500), total_ms=7000),
        ears=["I want to", "I want to go home"],
        seat=ScriptedSeat(answer=lambda text: LONG),
    )
    first, second = ran.replies
    began = ran.first_audio(first.reply)
    assert began is not None
    assert began < resumed_ms
    assert first.withdrawn_why == "reopened"
    last = ran.recorder.playback.of(first.reply).spans[-1][1] - ran.recorder.origin_ms
    assert last - resumed_ms <= 150.0 + 32.0  # the window in which the voice begins is heard when it is over
    assert second.turn == first.turn
    assert second.heard == "I want to go home"
    assert ran.seat.asked[-1] == [
        {"role": "system", "content": "rules"},
        {"role": "user", "content": "I want to go home"},
    ]


async def test_a_click_after_the_turn_or_over_the_reply_changes_nothing() -> None:
    audio = caller((320, 1600), (1894, 1918), (2600, 2622), total_ms=7000)
    ran = await run(audio, ears=["hello there"], seat=ScriptedSeat(answer=lambda text: LONG))
    assert [(r.heard, r.withdrawn_why) for r in ran.replies] == [("hello there", None)]
    assert ran.recorder.dropped == []


async def test_a_cough_over_the_reply_makes_no_turn_and_the_reply_is_back_within_two_seconds() -> None:
    cough_ms = 2500.0
    audio = caller((320, 1600), (cough_ms, cough_ms + 150.0), total_ms=9000)
    ran = await run(audio, ears=["hello there"], seat=ScriptedSeat(answer=lambda text: LONG))
    first, second = ran.replies
    assert (first.turn, first.withdrawn_why) == (second.turn, "reopened")
    assert (second.heard, second.withdrawn_why) == ("hello there", None)
    back = ran.first_audio(second.reply)
    assert back is not None
    assert back - cough_ms <= 2000.0
    assert ran.recorder.dropped == []


RULES = Rules(hold_ms=lambda known: 5000.0)


def pause(state: State, silent: int, rules: Rules = RULES) -> State:
    for voiced in [True] * 8 + [False] * silent + [True] * 4:
        state, _ = step(state, Window(state.position_ms + 32.0, voiced), rules)
    return state


def test_only_pauses_inside_the_callers_own_turn_are_learned() -> None:
    state = pause(State(), 10)
    assert state.pauses_ms == (320.0,)
    assert pause(state, 20).pauses_ms == (320.0, 640.0)


def test_silence_while_the_reply_is_heard_is_no_pause_of_the_caller() -> None:
    audible = replace(
        pause(State(), 10), phase=Phase.REPLYING, reply=1, committed_ms=600.0, run_start_ms=None
    )
    state, found = audible, []
    for _ in range(4):
        state, actions = step(state, Window(state.position_ms + 32.0, True), RULES)
        found += actions
    assert found == [Withdraw(1, 1, "reopened")]
    assert state.pauses_ms == (320.0,)


def test_pauses_are_remembered_into_the_next_turn_and_only_so_many() -> None:
    state = State()
    for _ in range(30):
        state = pause(state, 10)
    assert len(state.pauses_ms) == 20


def test_the_rules_are_told_all_that_is_known() -> None:
    told: list[Known] = []

    def hold(known: Known) -> float:
        told.append(known)
        return 5000.0

    pause(pause(State(), 10), 10, Rules(hold_ms=hold))
    assert told[-1].pauses_ms == (320.0,)
    assert told[-1].turn_ms > 0.0
    assert told[-1].text is None
