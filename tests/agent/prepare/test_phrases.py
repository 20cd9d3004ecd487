"""Phrases that are in memory before they are needed."""

from __future__ import annotations

import numpy as np
import pytest

from agent.compute import Priority
from agent.fakes import ScriptedCompute
from agent.prepare.phrases import Phrases, believable, normalised, prepare
from stages.contract import Audio
from stages.errors import EnvironmentFault
from stages.fakes import FakeVoice

RATE = 22_050
TONE = (0.2 * np.sin(np.arange(4000) / 10.0)).astype(np.float32)


class Shelf:
    """A store that gives what it is told to, whatever was put."""

    def __init__(self, gives: object = None) -> None:
        self.gives = gives
        self.put_texts: list[str] = []

    def get(self, text: str, rate_hz: int) -> Audio | None:
        return self.gives  # type: ignore[return-value]

    def put(self, text: str, rate_hz: int, audio: Audio) -> bool:
        self.put_texts.append(text)
        return True


async def made(texts: list[str], voice: FakeVoice, shelf: Shelf | None) -> tuple[Phrases, ScriptedCompute]:
    compute = ScriptedCompute({})
    try:
        return await prepare(texts, voice, compute, shelf), compute
    finally:
        compute.close()


async def test_each_text_is_spoken_once_behind_all_other_work() -> None:
    voice, shelf = FakeVoice(), Shelf()
    phrases, compute = await made(["Hello.", " Hello. ", "Goodbye.", ""], voice, shelf)
    assert voice.spoken == shelf.put_texts == ["Hello.", "Goodbye."]
    assert compute.log == [Priority.BACKGROUND] * 2
    assert len(phrases) == 2
    assert "Hello." in phrases


async def test_what_is_kept_is_not_spoken_again() -> None:
    voice = FakeVoice()
    phrases, _ = await made(["Hello."], voice, Shelf(TONE))
    assert voice.spoken == []
    np.testing.assert_array_equal(phrases.get("Hello."), TONE)


LIES = {
    "no array": [0.1, 0.2],
    "empty": np.zeros(0, np.float32),
    "silent": np.zeros(4000, np.float32),
    "not a number": np.full(4000, np.nan, np.float32),
    "too loud": np.full(4000, 3.0, np.float32),
    "stereo": np.full((4000, 2), 0.1, np.float32),
    "another type": np.full(4000, 0.1, np.float64),
    "endless": np.full(RATE * 61, 0.1, np.float32),
}


@pytest.mark.parametrize("lie", LIES)
async def test_a_store_that_lies_is_not_believed(lie: str) -> None:
    voice, shelf = FakeVoice(), Shelf(LIES[lie])
    phrases, _ = await made(["Hello."], voice, shelf)
    assert voice.spoken == ["Hello."]
    assert shelf.put_texts == ["Hello."]
    found = phrases.get("Hello.")
    assert found is not None
    assert believable(found, RATE)


@pytest.mark.parametrize("lie", LIES)
def test_nothing_that_cannot_be_speech_is_kept(lie: str) -> None:
    phrases = Phrases(RATE)
    assert phrases.add("Hello.", LIES[lie]) is False  # type: ignore[arg-type]
    assert phrases.get("Hello.") is None


async def test_a_phrase_that_cannot_be_spoken_is_left_out() -> None:
    voice = FakeVoice(faults=[EnvironmentFault("tts.broken", "The voice broke."), None])
    phrases, _ = await made(["Hello.", "Goodbye."], voice, None)
    assert phrases.get("Hello.") is None
    assert phrases.get("Goodbye.") is not None


def test_only_blanks_and_the_form_of_letters_may_differ() -> None:
    assert normalised("  One\n moment. ") == "One moment."
    assert normalised("cafe\u0301") == normalised("caf\u00e9")
    assert normalised("one moment.") != normalised("One moment.")
    assert normalised("One moment") != normalised("One moment.")
