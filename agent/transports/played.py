"""What the loudspeaker played, by the time at which it sounded. Times are milliseconds on the event loop's clock."""

from __future__ import annotations

import math

import numpy as np

from agent.transports.play_queue import Samples
from stages.audio.resample import Resampler
from stages.contract import RATE_HZ, Audio

LEAD_MS = 20.0
"""The reference is given this much early, so that a device that reports its delay too long stays causal."""

KEEP_MS = 4000.0
RUN_GAP_MS = 5.0
AUDIBLE = 180
"""int16 amplitude (-45 dBFS) from which what was played counts as sound."""


class PlayedReference:
    """What the loudspeaker played in the last seconds, by the time at which it sounded."""

    def __init__(self, keep_ms: float = KEEP_MS) -> None:
        self._length = round(keep_ms * RATE_HZ / 1000.0)
        self._ring = np.zeros(self._length, dtype=np.int16)
        self._newest = 0  # index after the last sample that is held

    def add(self, at_ms: float, samples: Samples) -> None:
        """``samples`` sound from ``at_ms`` on. What lies between them and the last ones was silence."""
        start = round(at_ms * RATE_HZ / 1000.0)
        if self._newest == 0 or start - self._newest >= self._length:
            self._ring[:] = 0
        elif start > self._newest:
            self._ring[np.arange(self._newest, start) % self._length] = 0
        self._ring[np.arange(start, start + len(samples)) % self._length] = samples
        self._newest = max(self._newest, start + len(samples))

    def slice(self, at_ms: float, count: int) -> Samples:
        """``count`` samples from ``at_ms`` on; silence where nothing was played or no longer held."""
        index = np.arange(count) + round(at_ms * RATE_HZ / 1000.0)
        held = (index < self._newest) & (index >= self._newest - self._length)
        found: Samples = np.where(held, self._ring[index % self._length], 0).astype(np.int16)
        return found


class RunResampler:
    """What is played, at 16 kHz with its times: runs of blocks without a gap are resampled as one stream each."""

    def __init__(self, rate_hz: int) -> None:
        self._rate = rate_hz
        self._stream = Resampler(rate_hz, RATE_HZ)
        self._due_ms = -math.inf  # when the run's next block sounds
        self._next_ms = 0.0  # when the next sample that the resampler gives sounds

    def push(self, at_ms: float, samples: Samples) -> list[tuple[float, Samples]]:
        """Blocks that are ready, each with its time; the rest of an ended run first."""
        ready = []
        if abs(at_ms - self._due_ms) > RUN_GAP_MS:
            ready += self._give(self._stream.push(np.zeros(0, dtype=np.float32), last=True))
            self._stream = Resampler(self._rate, RATE_HZ)
            self._next_ms = at_ms
        self._due_ms = at_ms + len(samples) * 1000.0 / self._rate
        return ready + self._give(self._stream.push(samples.astype(np.float32)))

    def _give(self, block: Audio) -> list[tuple[float, Samples]]:
        if not len(block):
            return []
        at_ms = self._next_ms
        self._next_ms += len(block) * 1000.0 / RATE_HZ
        return [(at_ms, np.rint(np.clip(block, -32_768, 32_767)).astype(np.int16))]
