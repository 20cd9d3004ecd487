"""Bringing one synthesised piece into shape: no silence in front, a short joint behind, even loudness. Pure."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stages.contract import Audio

AUDIBLE_DBFS = -45.0
_WINDOW_MS, _LEAD_MS, _FADE_MS = 2.0, 1.0, 1.0
_PEAK = 0.95


def level(audio: Audio, rate_hz: int, level_dbfs: float) -> Audio:
    """``audio`` with its audible part at ``level_dbfs`` RMS, or lower where its peak would pass 0.95.

    piper scales each piece to full peak by itself, so that a short "Sure." comes out louder than a sentence.
    """
    windows = _window_dbfs(audio, rate_hz)
    if windows.size == 0 or windows.max() < -100.0:
        return audio
    audible = windows[windows > windows.max() - 35.0]
    rms_dbfs = 10.0 * np.log10(np.mean(10.0 ** (audible / 10.0)))
    gain = min(10.0 ** ((level_dbfs - rms_dbfs) / 20.0), _PEAK / float(np.abs(audio).max()))
    return (audio * np.float32(gain)).astype(np.float32)


def trim(audio: Audio, rate_hz: int, joint_ms: float) -> Audio:
    """``audio`` from at most 5 ms before its first audible window to ``joint_ms`` behind its last.

    Audible is at or above -45 dBFS over 2 ms. Empty when nothing is audible.
    """
    heard = np.flatnonzero(_window_dbfs(audio, rate_hz) >= AUDIBLE_DBFS)
    if heard.size == 0:
        return np.zeros(0, dtype=np.float32)
    window = _samples(_WINDOW_MS, rate_hz)
    start = max(0, int(heard[0]) * window - _samples(_LEAD_MS, rate_hz))
    voiced_end = min(audio.size, int(heard[-1] + 1) * window)
    end = voiced_end + _samples(joint_ms, rate_hz)
    shaped = np.zeros(end - start, dtype=np.float32)
    kept = audio[start:end]
    shaped[: kept.size] = kept
    return _faded(shaped, _samples(_FADE_MS, rate_hz))


def _faded(audio: Audio, fade: int) -> Audio:
    """Both ends brought to zero over ``fade`` samples, so that a cut makes no click."""
    fade = min(fade, audio.size // 2)
    ramp = np.linspace(0.0, 1.0, fade, endpoint=False, dtype=np.float32)
    audio[:fade] *= ramp
    audio[audio.size - fade :] *= ramp[::-1]
    return audio


def _window_dbfs(audio: Audio, rate_hz: int) -> NDArray[np.float64]:
    window = _samples(_WINDOW_MS, rate_hz)
    padded = np.zeros(-(-audio.size // window) * window, dtype=np.float64)
    padded[: audio.size] = audio
    return np.asarray(10.0 * np.log10(np.square(padded.reshape(-1, window)).mean(axis=1) + 1e-12))


def _samples(ms: float, rate_hz: int) -> int:
    return round(ms * rate_hz / 1000.0)
