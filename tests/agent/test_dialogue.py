"""The conversation as the model is shown it."""

from __future__ import annotations

import numpy as np

from agent.audio_history import AudioHistory
from agent.dialogue import Dialogue, RecordedLine


def contents(dialogue: Dialogue, until_ms: float) -> list[tuple[str, str]]:
    return [(m["role"], m["content"]) for m in dialogue.messages(until_ms)]


def test_a_recorded_agent_is_heard_as_far_as_the_call_has_come() -> None:
    dialogue = Dialogue(
        "rules", [RecordedLine(1000.0, "How can I help?"), RecordedLine(9000.0, "Anything else?")]
    )
    dialogue.caller(1, 3000.0, "When do you open?")
    dialogue.agent(1, 4000.0, "At nine.")
    assert contents(dialogue, 3200.0) == [
        ("system", "rules"),
        ("assistant", "How can I help?"),
        ("user", "When do you open?"),
    ]
    assert contents(dialogue, 9000.0)[-1] == ("assistant", "Anything else?")


def test_our_own_replies_are_history_without_a_recorded_agent() -> None:
    dialogue = Dialogue("rules")
    dialogue.caller(1, 1000.0, "Hello.")
    dialogue.agent(1, 2000.0, "Hi, how can I help?")
    dialogue.caller(2, 5000.0, "Bye.")
    assert [role for role, _ in contents(dialogue, 6000.0)] == ["system", "user", "assistant", "user"]


def test_a_reopened_turn_replaces_its_words_and_loses_its_reply() -> None:
    dialogue = Dialogue("rules")
    dialogue.caller(1, 1000.0, "I want to")
    dialogue.agent(1, 1500.0, "Yes?")
    dialogue.forget_reply(1)
    dialogue.caller(1, 2000.0, "I want to go home.")
    assert contents(dialogue, 3000.0) == [("system", "rules"), ("user", "I want to go home.")]


def test_neighbours_of_one_role_are_joined() -> None:
    dialogue = Dialogue("rules", [RecordedLine(100.0, "Hi!"), RecordedLine(900.0, "How can I help?")])
    assert contents(dialogue, 1000.0)[1] == ("assistant", "Hi! How can I help?")


def test_audio_is_found_by_its_position_after_the_oldest_has_gone() -> None:
    history = AudioHistory(keep_s=1.0, rate_hz=1000)
    for k in range(100):
        history.append(np.full(50, float(k), dtype=np.float32))
    assert history.end_ms == 5000.0
    assert set(history.slice(4900.0, 5000.0)) == {98.0, 99.0}
    assert len(history.slice(0.0, 100.0)) == 0
    assert len(history.slice(4500.0, 6000.0)) == 500
