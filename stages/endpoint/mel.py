"""Whisper's log-mel features of eight seconds, as smart-turn was trained on.

Method: Whisper (Radford et al. 2022): 25 ms periodic Hann windows every 10 ms, 80 Slaney mel bands, log10,
the lowest 8 decades under the maximum kept. The audio is first brought to zero mean and unit variance, as the
Hugging Face feature extractor does with ``do_normalize``.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from stages.contract import RATE_HZ, Audio

SAMPLES = 8 * RATE_HZ
_FFT, _HOP, _BANDS = 400, 160, 80
_BREAK_HZ, _BREAK_MEL, _STEP = 1000.0, 15.0, np.log(6.4) / 27.0


def last_seconds(audio: Audio) -> Audio:
    """The last 8 s of ``audio`` at 16 kHz, with zeros in front where it is shorter. Shape (128000,)."""
    tail = audio[-SAMPLES:]
    return np.concatenate([np.zeros(SAMPLES - tail.size, dtype=np.float32), tail])


def log_mel(audio: Audio) -> NDArray[np.float32]:
    """Features of exactly 8 s at 16 kHz: shape (80, 800), about -1 to 1."""
    scaled = (audio - audio.mean()) / np.sqrt(audio.var() + np.float32(1e-7))
    padded = np.pad(scaled.astype(np.float64), _FFT // 2, mode="reflect")
    frames = np.lib.stride_tricks.sliding_window_view(padded, _FFT)[::_HOP][:-1]
    spectrum = np.fft.rfft(frames * np.hanning(_FFT + 1)[:-1], axis=-1)
    power = spectrum.real**2 + spectrum.imag**2
    logs = np.log10(np.maximum(1e-10, _filters() @ power.T))
    logs = np.maximum(logs, logs.max() - 8.0)
    return np.asarray((logs + 4.0) / 4.0, dtype=np.float32)


def _to_hz(mel: NDArray[np.float64]) -> NDArray[np.float64]:
    """Slaney's scale: linear to 1 kHz, then logarithmic."""
    return np.where(mel < _BREAK_MEL, mel * 200.0 / 3.0, _BREAK_HZ * np.exp(_STEP * (mel - _BREAK_MEL)))


@cache
def _filters() -> NDArray[np.float64]:
    """Triangular filters of equal area, shape (80, 201)."""
    top = _BREAK_MEL + np.log(RATE_HZ / 2 / _BREAK_HZ) / _STEP
    edges = _to_hz(np.linspace(0.0, top, _BANDS + 2))
    bins = np.linspace(0.0, RATE_HZ / 2, _FFT // 2 + 1)
    low, mid, high = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    triangles = np.maximum(0.0, np.minimum((bins - low) / (mid - low), (high - bins) / (high - mid)))
    return np.asarray(triangles * (2.0 / (high - low)))
