"""The last stretch of the caller's audio, addressed by its position in the stream."""

from __future__ import annotations

import numpy as np

from stages.contract import RATE_HZ, Audio


class AudioHistory:
    """Keeps at least ``keep_s`` seconds; positions are milliseconds since the stream began."""

    def __init__(self, keep_s: float = 120.0, rate_hz: int = RATE_HZ) -> None:
        self._rate = rate_hz
        self._keep = int(keep_s * rate_hz)
        self._buffer = np.zeros(2 * self._keep, dtype=np.float32)
        self._first = 0  # stream position of buffer[0], in samples
        self._length = 0

    @property
    def end_ms(self) -> float:
        """Position of the end of what was heard."""
        return (self._first + self._length) * 1000.0 / self._rate

    def append(self, samples: Audio) -> None:
        """Add ``samples``, shape ``(n,)`` float32; the oldest go when the buffer is full."""
        if self._length + len(samples) > len(self._buffer):
            drop = self._length - self._keep + len(samples)
            self._buffer[: self._length - drop] = self._buffer[drop : self._length].copy()
            self._first += drop
            self._length -= drop
        self._buffer[self._length : self._length + len(samples)] = samples
        self._length += len(samples)

    def slice(self, start_ms: float, end_ms: float) -> Audio:
        """A copy of the audio between two positions, cut to what is still held."""
        low = max(0, round(start_ms * self._rate / 1000.0) - self._first)
        high = min(self._length, round(end_ms * self._rate / 1000.0) - self._first)
        return self._buffer[low : max(low, high)].copy()
