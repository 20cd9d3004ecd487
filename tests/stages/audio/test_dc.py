"""A constant offset goes, speech stays."""

from __future__ import annotations

import numpy as np

from stages.audio.dc import DcBlocker

RATE = 16_000


def push_all(audio: np.ndarray) -> np.ndarray:
    blocker = DcBlocker(RATE)
    return np.concatenate([blocker.push(audio[k : k + 320]) for k in range(0, len(audio), 320)])


def tone(hz: float, seconds: float) -> np.ndarray:
    return (0.3 * np.sin(2 * np.pi * hz * np.arange(int(RATE * seconds)) / RATE)).astype(np.float32)


def test_an_offset_is_gone_after_two_seconds() -> None:
    clean = push_all(tone(200, 3.0) + np.float32(0.05))
    assert abs(float(clean[2 * RATE :].mean())) < 0.05 * np.exp(-2.0 / 0.4) * 1.05


def test_speech_frequencies_pass_unchanged() -> None:
    before = tone(100, 1.0)
    np.testing.assert_allclose(push_all(before), before, atol=0.003)


def test_it_adds_no_steps() -> None:
    constant = np.full(RATE, 0.5, dtype=np.float32)
    assert float(np.abs(np.diff(push_all(constant))).max()) < 0.001


def test_an_empty_block_passes() -> None:
    assert len(DcBlocker(RATE).push(np.zeros(0, dtype=np.float32))) == 0
