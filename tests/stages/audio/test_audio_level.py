"""Levels, audible spans and the rule by which an utterance ends."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.audio.level import active_dbfs, audible_span, dbfs, last_within, levels, remove_dc, utterance_span

RATE = 16_000
WINDOW = 160


def steps(*decibels: float) -> np.ndarray:
    """One 10 ms window of constant size for each level."""
    return np.repeat([10 ** (level / 20) for level in decibels], WINDOW).astype(np.float32)


def test_level_of_a_constant() -> None:
    assert dbfs(np.ones(100, np.float32)) == 0.0
    assert dbfs(np.full(100, 0.1, np.float32)) == pytest.approx(-20.0, abs=1e-5)
    assert dbfs(np.zeros(100, np.float32)) == dbfs(np.zeros(0, np.float32)) == -200.0


def test_a_last_shorter_window_counts() -> None:
    found = levels(np.concatenate([steps(-20), steps(-10)[:40]]), RATE)
    assert found == pytest.approx([-20.0, -10.0], abs=1e-4)


def test_audible_is_minus_45_dbfs() -> None:
    assert audible_span(steps(-60, -45.1, -44.9, -80, -30, -50), RATE) == (2 * WINDOW, 5 * WINDOW)
    assert audible_span(steps(-60, -50), RATE) is None
    assert audible_span(np.zeros(0, np.float32), RATE) is None


def test_an_utterance_lasts_while_it_is_within_30_db_of_its_loudest() -> None:
    audio = steps(-50, -39.9, -10, -60, -12, -39.9, -40.1, -70)
    assert utterance_span(audio, RATE) == (WINDOW, 6 * WINDOW)
    assert last_within(audio, RATE) == 6 * WINDOW
    assert last_within(np.zeros(1_000, np.float32), RATE) is None


def test_the_end_is_never_beyond_the_audio() -> None:
    audio = np.full(WINDOW * 2 + 30, 0.5, np.float32)
    assert last_within(audio, RATE) == len(audio)


def test_pauses_do_not_lower_the_level_of_speech() -> None:
    speech = steps(-20, -22, -20)
    with_pauses = np.concatenate([np.zeros(8_000, np.float32), speech, np.zeros(8_000, np.float32)])
    assert active_dbfs(with_pauses, RATE) == pytest.approx(active_dbfs(speech, RATE), abs=1e-6)


def test_an_offset_is_removed_and_no_longer_counts_as_sound() -> None:
    audio = np.full(RATE, 0.2, np.float32)
    audio[4_000:8_000] += np.sin(np.arange(4_000)).astype(np.float32) * 0.5
    assert utterance_span(audio, RATE) == (0, RATE)
    assert utterance_span(remove_dc(audio), RATE) == (4_000, 8_000)


@given(lead=st.integers(0, 50), voiced=st.integers(1, 50), tail=st.integers(0, 50), gain=st.floats(-40, 0))
@settings(deadline=None)
def test_silence_around_and_gain_do_not_change_what_is_voiced(
    lead: int, voiced: int, tail: int, gain: float
) -> None:
    audio = steps(*[-90 + gain] * lead, *[gain] * voiced, *[-90 + gain] * tail)
    assert utterance_span(audio, RATE) == (lead * WINDOW, (lead + voiced) * WINDOW)
