"""The second speaker of made calls."""

from __future__ import annotations

import numpy as np
import pytest

from agent.calls.voices import HibariVoice
from stages.audio.level import utterance_span


def test_a_deeper_voice_says_the_same_at_the_same_pace() -> None:
    usual, deep = HibariVoice(), HibariVoice(pitch=0.8)
    one, two = usual.speak("When are you open?"), deep.speak("When are you open?")
    assert len(two) == pytest.approx(len(one), rel=0.12)
    assert dominant_hz(two) < 0.9 * dominant_hz(one)


def dominant_hz(audio: np.ndarray) -> float:
    """Pitch of a voice: the lag at which it is most like itself, between 100 and 350 Hz."""
    voice = audio - audio.mean()
    spectrum = np.abs(np.fft.rfft(voice, 1 << 18)) ** 2
    alike = np.fft.irfft(spectrum)[: 24_000 // 100]
    return 24_000 / (24_000 // 350 + int(alike[24_000 // 350 :].argmax()))


def test_sentences_of_one_text_are_a_third_of_a_second_apart() -> None:
    audio = HibariVoice().speak("Good morning. Thank you.")
    found = utterance_span(audio, 24_000)
    assert found is not None
    parts = [HibariVoice().speak(text) for text in ("Good morning.", "Thank you.")]
    spans = [utterance_span(part, 24_000) for part in parts]
    voices = sum(span[1] - span[0] for span in spans if span is not None)
    assert (found[1] - found[0] - voices) / 24_000 == pytest.approx(0.35, abs=0.03)
