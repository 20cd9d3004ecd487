"""What the transport hands over becomes one clean stream: mono float32 at 16 kHz, without offset, without gaps.

Whatever is wrong with a frame is mended and told, and the stream goes on: its positions are the only time that turn
taking knows, so audio that was lost is replaced by as much silence.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from pipecat.frames.frames import InputAudioRawFrame

from stages.audio.dc import DcBlocker
from stages.audio.resample import Resampler
from stages.contract import RATE_HZ, Audio

INT16 = 32768.0
NS_PER_MS = 1e6

JUMP_MS = 60.0
"""Time stamps wander by less than this; more is a jump."""

LONGEST_GAP_MS = 10_000.0
"""A jump beyond this is a clock that was set, not audio that was lost."""


class CallerAudio:
    """One stream of frames. ``tell`` gets a sentence for each fault, once a kind of fault."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell_all, self._told = tell, set[str]()
        self._dc = DcBlocker(RATE_HZ)
        self._resampler = Resampler(RATE_HZ, RATE_HZ)
        self._rate: int | None = None
        self._next_pts_ms: float | None = None

    def push(self, frame: InputAudioRawFrame) -> Audio:
        """The samples of ``frame``, shape ``(n,)``; silence in front where audio was lost; empty if unusable."""
        samples = self._decode(frame)
        if samples is None:
            return np.zeros(0, dtype=np.float32)
        before = [] if frame.sample_rate == self._rate else [self._new_rate(frame.sample_rate)]
        gap = self._gap(frame, len(samples) * 1000.0 / frame.sample_rate)
        return self._dc.push(np.concatenate([*before, gap, self._resampler.push(samples)]))

    def _decode(self, frame: InputAudioRawFrame) -> Audio | None:
        channels = frame.num_channels
        if frame.sample_rate < 1000 or channels < 1:
            self._tell("rate", f"a frame of {frame.sample_rate} Hz and {channels} channels was left out")
            return None
        whole = len(frame.audio) // (2 * channels) * 2 * channels
        if whole != len(frame.audio):
            self._tell("bytes", f"a frame of {len(frame.audio)} bytes is no whole number of samples: cut")
        samples = np.frombuffer(frame.audio[:whole], dtype=np.int16).astype(np.float32) / np.float32(INT16)
        if channels == 1:
            return samples
        mixed: Audio = samples.reshape(-1, channels).mean(axis=1, dtype=np.float32)
        return mixed

    def _new_rate(self, rate: int) -> Audio:
        """Go on at ``rate``; returns what the filter of the rate before still held."""
        rest = self._resampler.push(np.zeros(0, dtype=np.float32), last=True)
        if self._rate is not None:
            self._tell(
                f"rate {rate}", f"the caller's audio changed from {self._rate} to {rate} Hz: resampled"
            )
        self._rate = rate
        self._resampler = Resampler(rate, RATE_HZ)
        return rest

    def _gap(self, frame: InputAudioRawFrame, length_ms: float) -> Audio:
        """Silence for what is missing in front of ``frame`` by its time stamp, if it has one."""
        none = np.zeros(0, dtype=np.float32)
        if frame.pts is None:
            return none
        at_ms, due_ms = frame.pts / NS_PER_MS, self._next_pts_ms
        self._next_pts_ms = at_ms + length_ms
        if due_ms is None or abs(at_ms - due_ms) < JUMP_MS:
            return none
        jump = at_ms - due_ms
        if not 0.0 < jump <= LONGEST_GAP_MS:
            self._tell("stamp", f"the caller's time stamps jumped by {jump:.0f} ms: not followed")
            return none
        self._tell("gap", f"{jump:.0f} ms of the caller's audio are missing: silence in their place")
        return np.zeros(round(jump * RATE_HZ / 1000.0), dtype=np.float32)

    def _tell(self, kind: str, what: str) -> None:
        if kind not in self._told:
            self._told.add(kind)
            self._tell_all(what)
