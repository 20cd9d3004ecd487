from __future__ import annotations

import numpy as np
import pytest

from stages.tts.shape import level, trim

RATE = 10_000


def tone(ms: float, amplitude: float) -> np.ndarray:
    at = np.arange(round(ms * RATE / 1000))
    return (amplitude * np.sin(2 * np.pi * 500 * at / RATE)).astype(np.float32)


def silence(ms: float) -> np.ndarray:
    return np.zeros(round(ms * RATE / 1000), dtype=np.float32)


@pytest.mark.parametrize("joint_ms", [0.0, 60.0, 400.0])
def test_silence_in_front_goes_and_the_joint_behind_is_exact(joint_ms):
    said = trim(np.concatenate([silence(50), tone(100, 0.3), silence(200)]), RATE, joint_ms)
    assert said.size == round((1 + 100 + joint_ms) * RATE / 1000)
    heard = np.flatnonzero(np.abs(said) > 0.01)
    assert heard[0] <= 0.005 * RATE
    assert np.abs(said[round(0.101 * RATE) :]).max(initial=0.0) == 0.0


def test_a_cut_makes_no_click():
    said = trim(tone(100, 0.5) + np.float32(0.2), RATE, 0.0)
    assert said[0] == 0.0
    assert said[-1] == 0.0


def test_nothing_audible_is_nothing():
    assert trim(tone(100, 0.001), RATE, 60.0).size == 0
    assert trim(silence(0), RATE, 60.0).size == 0


def test_loud_and_quiet_pieces_come_out_alike():
    def rms_dbfs(audio):
        return 20 * np.log10(np.sqrt(np.square(audio).mean()))

    loud, quiet = level(tone(300, 0.9), RATE, -20.0), level(tone(50, 0.02), RATE, -20.0)
    assert rms_dbfs(loud) == pytest.approx(-20.0, abs=0.01)
    assert rms_dbfs(quiet) == pytest.approx(-20.0, abs=0.01)


def test_a_peak_limits_the_gain():
    spiky = tone(300, 0.01)
    spiky[1000] = 0.5
    assert np.abs(level(spiky, RATE, -10.0)).max() == pytest.approx(0.95)


def test_silence_is_not_made_louder():
    assert level(silence(50), RATE, -20.0).max() == 0.0
    assert level(silence(0), RATE, -20.0).size == 0
