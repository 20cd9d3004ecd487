"""The level shows the end of a voice while voice activity still decays."""

from __future__ import annotations

import numpy as np
import pytest

from stages.contract import WINDOW_SAMPLES, Audio
from stages.endpoint.voice_gate import Voice, VoiceGate, VoiceThresholds

LIMITS = VoiceThresholds(0.5, 0.35, 30.0)
DECAY = (0.99, 0.9, 0.6, 0.2)
"""What voice activity says in the four windows after a voice has ended."""


def window(db: float) -> Audio:
    return np.full(WINDOW_SAMPLES, 10.0 ** (db / 20.0), dtype=np.float32)


def push(gate: VoiceGate, *pairs: tuple[float, float]) -> list[Voice]:
    return [gate.push(window(db), probability) for db, probability in pairs]


def test_silence_is_heard_in_its_first_window_while_voice_activity_decays() -> None:
    gate = VoiceGate(LIMITS)
    push(gate, *[(-60.0, 0.02)] * 20, *[(-20.0, 0.99)] * 10)
    tail = push(gate, *((-60.0, probability) for probability in DECAY))
    assert [voice.voiced for voice in tail] == [True, True, True, False]
    assert [voice.loud for voice in tail] == [False, False, False, False]


def test_without_a_level_voice_activity_alone_counts() -> None:
    gate = VoiceGate(VoiceThresholds(0.5, 0.35))
    push(gate, *[(-20.0, 0.99)] * 10)
    assert [voice.loud for voice in push(gate, *((-90.0, one) for one in DECAY))] == [True, True, True, False]


def test_a_soft_syllable_is_voice() -> None:
    gate = VoiceGate(LIMITS)
    push(gate, *[(-70.0, 0.02)] * 20, *[(-20.0, 0.99)] * 5)
    assert all(voice.loud for voice in push(gate, *[(-45.0, 0.9)] * 5))


def test_in_noise_the_level_is_held_against_the_noise() -> None:
    gate = VoiceGate(LIMITS)
    push(gate, *[(-48.0, 0.02)] * 30, *[(-32.0, 0.99)] * 10)
    assert push(gate, (-44.0, 0.9))[0].loud  # a faint vowel above the noise
    assert not push(gate, (-47.5, 0.9))[0].loud


def test_each_run_of_voice_has_a_level_of_its_own() -> None:
    gate = VoiceGate(LIMITS)
    push(gate, *[(-10.0, 0.99)] * 10, *[(-75.0, 0.02)] * 2)
    assert all(voice.loud for voice in push(gate, *[(-45.0, 0.9)] * 5))


def test_voice_that_is_no_louder_than_the_noise_is_still_voice() -> None:
    gate = VoiceGate(LIMITS)
    push(gate, *[(-30.0, 0.1)] * 30)
    assert all(voice.loud for voice in push(gate, *[(-30.0, 0.9)] * 10))


@pytest.mark.parametrize("db", [-200.0, 0.0])
def test_loud_is_never_more_than_voiced(db: float) -> None:
    gate = VoiceGate(LIMITS)
    for probability in np.linspace(0.0, 1.0, 50).tolist() * 3:
        voice = gate.push(window(db), probability)
        assert voice.voiced or not voice.loud


def test_digital_silence_is_silence() -> None:
    gate = VoiceGate(LIMITS)
    push(gate, *[(-20.0, 0.99)] * 5)
    assert not gate.push(np.zeros(WINDOW_SAMPLES, dtype=np.float32), 0.9).loud
