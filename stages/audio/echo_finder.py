"""Finds the loudspeaker in the microphone: is there an echo at all, and how much later does it come?

Generalised cross-correlation (Knapp and Carter 1976) with most of the phase transform's whitening, averaged over the
last seconds in which something was played. Speech that only happens at the same time does not add up at one delay.
"""

from __future__ import annotations

import numpy as np

from stages.contract import RATE_HZ, Audio

WINDOW = 8192
"""Samples of the microphone that are compared at a time: 512 ms."""

LONGEST = 6400
"""Delays up to 400 ms are looked for."""

SIZE = 16_384
KEEP = 0.85
"""Share of the evidence that the next window leaves: windows are 100 ms apart, so it lasts for about 0.6 s."""

WHITEN = 0.8
"""1 would be the phase transform, which also listens to bands that hold nothing but noise."""

_HZ = np.fft.rfftfreq(SIZE, 1.0 / RATE_HZ)
_BAND = (_HZ > 300.0) & (_HZ < 4000.0)
_NEAR = RATE_HZ // 200


class EchoFinder:
    """``clarity``: the peak in scatters of the correlation (independent speech reaches 7); ``delay``: in samples."""

    def __init__(self) -> None:
        self._evidence = np.zeros(SIZE // 2 + 1, dtype=np.complex128)
        self.clarity = 0.0
        self.delay = 0

    def push(self, heard: Audio, played: Audio) -> None:
        """``heard``: WINDOW samples. ``played``: the WINDOW + LONGEST samples that end when they do."""
        ours, theirs = np.fft.rfft(heard, SIZE), np.fft.rfft(played, SIZE)
        weight = (np.abs(ours) * np.abs(theirs) + 1e-9) ** WHITEN
        self._evidence = KEEP * self._evidence + _BAND * ours * np.conj(theirs) / weight
        lags = np.fft.irfft(self._evidence, SIZE)
        found = np.abs(np.concatenate([lags[-LONGEST:], lags[:1]]))  # from the longest delay... to none
        at = int(np.argmax(found))
        rest = np.delete(found, np.arange(max(0, at - _NEAR), min(len(found), at + _NEAR)))
        scatter = float(np.sqrt(np.mean(np.square(rest))))
        self.clarity = float(found[at]) / scatter if scatter > 0.0 else 0.0
        self.delay = at
