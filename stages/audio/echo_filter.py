"""Takes an echo out by a linear filter alone: what a caller says at the same time passes unharmed.

A frequency-domain adaptive filter of several partitions whose step sizes come from a Kalman filter (Enzner and Vary
2006; Kuech, Mabande and Enzner 2014): the step shrinks by itself while somebody speaks over the echo.
"""

from __future__ import annotations

import numpy as np

from stages.contract import Audio

BLOCK = 320
"""Samples at a time: 20 ms at 16 kHz."""

PARTS = 8
"""Length of the echo that is followed, in blocks: 160 ms of delay and room."""

STEADY = 0.9995
"""How little the echo's path changes from one block to the next."""

NOISE_KEEP = 0.8
POWER_FLOOR = 1e-10
DOUBT = 1e-8


class EchoFilter:
    """One path from loudspeaker to microphone."""

    def __init__(self) -> None:
        bins = BLOCK + 1
        self._path = np.zeros((PARTS, bins), dtype=np.complex128)
        self._played = np.zeros((PARTS, bins), dtype=np.complex128)
        self._doubt = np.ones((PARTS, bins))
        self._other = np.full(bins, 1e-4)
        self._last: Audio = np.zeros(BLOCK, dtype=np.float32)

    def clean(self, heard: Audio, played: Audio) -> Audio:
        """BLOCK samples of the microphone without the echo of ``played``, and of what was played before it."""
        self._played = np.roll(self._played, 1, axis=0)
        self._played[0] = np.fft.rfft(np.concatenate([self._last, played]))
        self._last = played
        echo = np.fft.irfft((self._path * self._played).sum(axis=0))[BLOCK:]
        clean: Audio = (heard - echo).astype(np.float32)
        self._learn(clean)
        worse = float(np.dot(clean, clean)) > float(np.dot(heard, heard))  # it has not yet learned
        return heard if worse else clean

    def _learn(self, clean: Audio) -> None:
        error = np.fft.rfft(np.concatenate([np.zeros(BLOCK), clean]))
        self._other = NOISE_KEEP * self._other + (1.0 - NOISE_KEEP) * np.abs(error) ** 2
        power = np.abs(self._played) ** 2
        # Half of each transform is the block at hand: hence the halves.
        step = 0.5 * self._doubt / (0.5 * (self._doubt * power).sum(axis=0) + self._other + POWER_FLOOR)
        change = np.fft.irfft(step * np.conj(self._played) * error, axis=1)
        change[:, BLOCK:] = 0.0
        self._path = STEADY * (self._path + np.fft.rfft(change, axis=1))
        self._doubt = (
            STEADY**2 * (1.0 - 0.5 * step * power) * self._doubt
            + (1.0 - STEADY**2) * np.abs(self._path) ** 2
            + DOUBT
        )
