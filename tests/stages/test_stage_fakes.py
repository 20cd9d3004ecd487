from __future__ import annotations

import numpy as np
import pytest

from stages.contract import Message, Recogniser, Seat, TurnEndModel, Voice, VoiceActivity
from stages.errors import Aborted
from stages.fakes import FakeActivity, FakeRecogniser, FakeSeat, FakeTurnEnd, FakeVoice, Script

SILENCE = np.zeros(512, dtype=np.float32)
ASK = Message(role="user", content="when do you open")


def test_a_script_repeats_its_last_entry_and_raises_faults():
    script = Script([1, ValueError("no"), 2])
    assert script.next() == 1
    with pytest.raises(ValueError, match="no"):
        script.next()
    assert [script.next(), script.next(), script.calls] == [2, 2, 4]
    with pytest.raises(ValueError, match="at least one"):
        Script([])


def test_activity_follows_the_level_or_its_script():
    by_level: VoiceActivity = FakeActivity()
    assert [by_level.probability(SILENCE), by_level.probability(SILENCE + 0.1)] == [0.0, 1.0]
    scripted = FakeActivity([0.2, 0.9])
    scripted.reset()
    assert [scripted.probability(SILENCE) for _ in range(3)] == [0.2, 0.9, 0.9]
    assert (scripted.calls, scripted.resets) == (3, 1)


def test_turn_end_notes_what_it_heard():
    fake = FakeTurnEnd([0.1, 0.8])
    model: TurnEndModel = fake
    assert [model.probability(SILENCE), model.probability(SILENCE[:10])] == [0.1, 0.8]
    assert fake.heard == [512, 10]


def test_a_recogniser_can_be_stopped_after_some_steps_and_loses_no_line():
    fake = FakeRecogniser(["one two", "three"], steps=3)
    recogniser: Recogniser = fake
    asked = []
    with pytest.raises(Aborted):
        recogniser.transcribe(SILENCE, abort=lambda: asked.append(1) or len(asked) == 3)
    assert recogniser.transcribe(SILENCE).text == "one two"
    assert recogniser.transcribe(SILENCE[:10]).tokens == 1
    assert (fake.aborted, fake.heard) == (1, [512, 512, 10])


def test_a_seat_replies_word_by_word_and_counts_what_it_reused():
    fake = FakeSeat(["It is nine.", RuntimeError("gone")])
    seat: Seat = fake
    assert [piece.text for piece in seat.reply([ASK], max_tokens=2)] == ["It", " is"]
    assert seat.last_prefill.prompt_tokens == 5
    assert seat.prefill([ASK, ASK]).reused_tokens == 5
    with pytest.raises(RuntimeError, match="gone"):
        list(seat.reply([ASK], max_tokens=2))
    assert len(fake.prompts) == 3


def test_a_seat_stops_between_words():
    fake = FakeSeat(["It is nine."])
    asked = []
    reply = fake.reply([ASK], max_tokens=9, abort=lambda: asked.append(1) or len(asked) > 2)
    assert next(reply).text == "It"
    with pytest.raises(Aborted):
        next(reply)
    assert fake.aborted == 1


def test_a_voice_speaks_as_long_as_its_text():
    fake = FakeVoice(rate_hz=1000, ms_per_char=10.0, faults=[None, None, OSError("no sound")])
    voice: Voice = fake
    assert voice.speak("Hello").size == 50
    assert voice.speak("...").size == 0
    with pytest.raises(OSError, match="no sound"):
        voice.speak("x")
    assert fake.spoken == ["Hello", "...", "x"]
