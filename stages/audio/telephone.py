"""What a telephone line does to speech: 8 kHz, 300 to 3400 Hz, mu-law (ITU-T G.711)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stages.audio.resample import resample
from stages.contract import Audio

TELEPHONE_HZ = 8_000
_LOW_HZ, _HIGH_HZ = 300.0, 3_400.0
_TAPS = (
    257  # a linear-phase filter with an edge of about 100 Hz at 8 kHz; its delay of 16 ms is taken out again
)
_BIAS, _CLIP = 33, 8_158  # G.711 in 14 bits: the bias makes each segment start at a power of two


def telephone_band(audio: Audio, rate_hz: int) -> Audio:
    """``audio`` as a telephone carries it: 8 kHz, only 300 to 3400 Hz. Nothing is shifted in time."""
    narrow = resample(audio, rate_hz, TELEPHONE_HZ)
    if not len(narrow):
        return narrow
    taps = _low_pass(_HIGH_HZ) - _low_pass(_LOW_HZ)
    size = 1 << (len(narrow) + _TAPS).bit_length()
    passed = np.fft.irfft(np.fft.rfft(narrow, size) * np.fft.rfft(taps, size), size)
    half = _TAPS // 2
    return passed[half : half + len(narrow)].astype(np.float32)


def _low_pass(edge_hz: float) -> NDArray[np.float64]:
    at = np.arange(_TAPS) - _TAPS // 2
    taps = np.sinc(2 * edge_hz / TELEPHONE_HZ * at) * np.hamming(_TAPS)
    normal: NDArray[np.float64] = taps / taps.sum()
    return normal


def mulaw_encode(audio: Audio) -> NDArray[np.uint8]:
    """One mu-law byte a sample, shape as ``audio``; what exceeds full scale is clipped."""
    linear = np.rint(np.clip(audio, -1.0, 1.0) * 8_192).astype(np.int32)
    size = np.minimum(np.abs(linear), _CLIP) + _BIAS
    segment = np.frexp(size)[1] - 6
    step = (size >> (segment + 1)) & 0x0F
    code = (segment << 4) | step | np.where(linear < 0, 0x80, 0)
    codes: NDArray[np.uint8] = (~code & 0xFF).astype(np.uint8)
    return codes


def mulaw_decode(codes: NDArray[np.uint8]) -> Audio:
    """Samples of mu-law bytes, float32 in [-1, 1]."""
    code = ~codes.astype(np.int32) & 0xFF
    segment, step = (code >> 4) & 0x07, code & 0x0F
    size = (((step << 1) + _BIAS) << segment) - _BIAS
    return (np.where(code & 0x80, -size, size) / 8_192).astype(np.float32)
