from __future__ import annotations

import pytest

from stages.asr.config import GateConfig
from stages.asr.gate import (
    Reading,
    VoiceFound,
    is_sure,
    may_be_steady,
    steady_fault,
    text_fault,
    too_quiet,
    voice_fault,
)

GATE = GateConfig()


@pytest.mark.parametrize(
    ("reading", "fault"),
    [
        (Reading("What's the weather like?", 0.01, -0.31), None),
        (Reading("Nope.", 0.18, -1.08), None),
        (Reading("S. F.", 0.22, -1.59), None),  # spelled, badly, but speech
        (Reading("I'm sorry.", 0.83, -1.55), "low_score"),
        (Reading("No, no, no, no, no, no", 0.56, -0.56), "repetition"),
        (Reading("um um um um um um", 0.12, -0.47), None),  # a stumble over real speech
        (Reading("you", 0.92, -1.0), "no_speech"),
        (Reading(". . .", 0.2, -0.1), "no_words"),
        (Reading("", 0.2, -0.1), "no_words"),
    ],
)
def test_text_is_judged_by_all_its_signs_together(reading, fault):
    assert text_fault(reading, GATE) == fault


def test_only_text_in_doubt_needs_voice_under_it():
    assert is_sure(Reading("Today", 0.02, -0.79), GATE)
    assert not is_sure(Reading("Yes.", 0.21, -1.06), GATE)
    assert not is_sure(Reading("Thank you.", 0.7, -0.5), GATE)


def test_voice_must_be_there_and_be_a_share_of_the_audio():
    assert voice_fault(VoiceFound(96.0, 0.2), GATE) is None
    assert voice_fault(VoiceFound(64.0, 0.9), GATE) == "no_voice"
    assert voice_fault(VoiceFound(320.0, 0.03), GATE) == "no_voice"  # hold music


def test_silence_is_not_worth_decoding():
    assert too_quiet(-61.0, GATE)
    assert not too_quiet(-60.0, GATE)


def test_a_room_full_of_voices_is_nobody_s_turn():
    unsure = Reading("And then he said", 0.2, -0.9)
    assert may_be_steady(unsure, 12.0, GATE)
    assert steady_fault(VoiceFound(2000.0, 0.7, 0.85), GATE) == "babble"


def test_a_near_voice_in_a_loud_room_is_believed():
    assert not may_be_steady(Reading("A small latte", 0.05, -0.5), 12.0, GATE)
    assert not may_be_steady(Reading("A small latte", 0.05, -0.9), 35.0, GATE)
    assert steady_fault(VoiceFound(2000.0, 0.9, 0.98), GATE) is None
