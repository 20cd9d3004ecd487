"""The agent's own voice in the microphone: taken out, shut out, or trusted not to be there.

All times are milliseconds on the event loop's clock; audio is int16 mono at 16 kHz.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from agent.transports.echo_watch import EchoWatch
from agent.transports.play_queue import Samples
from agent.transports.played import AUDIBLE, LEAD_MS, PlayedReference
from stages.audio.echo_filter import BLOCK, EchoFilter
from stages.contract import RATE_HZ, Audio

SCALE = 32_768.0
MARGIN_MS = 5.0
"""The filter is given the reference this much earlier than the echo was found: its peak is not its begin."""


class EchoGuard(Protocol):
    """Stands between the microphone and hearing."""

    def clean(self, at_ms: float, block: Samples, reference: PlayedReference) -> Samples:
        """``block`` as hearing shall get it, same length; its first sample was recorded at ``at_ms``."""


class NoGuard:
    """Headphones: nothing to do."""

    def clean(self, at_ms: float, block: Samples, reference: PlayedReference) -> Samples:
        """``block`` as it is."""
        return block


class HalfDuplex:
    """The microphone is closed while the agent is heard, and for ``tail_ms`` after: no barge-in, and no echo."""

    def __init__(self, tail_ms: float) -> None:
        self._tail_ms = tail_ms

    def clean(self, at_ms: float, block: Samples, reference: PlayedReference) -> Samples:
        """Silence, or ``block``."""
        tail = round(self._tail_ms * RATE_HZ / 1000.0)
        heard = reference.slice(at_ms - self._tail_ms, tail + len(block))
        loud = len(heard) > 0 and int(np.abs(heard.astype(np.int32)).max()) >= AUDIBLE
        return np.zeros_like(block) if loud else block


class WebRtcGuard:
    """WebRTC's echo canceller (AEC3), with what was played as its reference.

    By itself it takes a caller who speaks over the agent for echo until it has converged, longest where there is none.
    So the echo is looked for first: where none is found the microphone passes as it is; where one is, a linear filter
    takes most of it out before AEC3 sees the rest.
    """

    def __init__(self, canceller: Any = None) -> None:
        if canceller is None:
            from pywebrtc_audio import EchoCanceller

            canceller = EchoCanceller(sample_rate=RATE_HZ, stream_delay_ms=round(LEAD_MS))
        self._canceller = canceller
        self.watch = EchoWatch()
        self._filter = EchoFilter()

    def clean(self, at_ms: float, block: Samples, reference: PlayedReference) -> Samples:
        """``block`` without the echo of what was played. Whole multiples of 10 ms keep their length."""
        if self.watch.look(at_ms, block, reference):
            self._filter = EchoFilter()
        near = block
        if self.watch.state == "found" and len(block) == BLOCK:
            far = reference.slice(at_ms + MARGIN_MS - self.watch.delay_ms, len(block))
            near = _int16(self._filter.clean(_float(block), _float(far)))
        far = reference.slice(at_ms + LEAD_MS, len(block))
        cleaned: Samples = self._canceller.process(np.ascontiguousarray(near), far)
        return block if self.watch.state == "none" else cleaned


def guard_for(mode: str, *, headphones: bool, tail_ms: float) -> tuple[EchoGuard, str]:
    """The guard that ``mode`` (``talk.echo``) asks for, and its name for the screen."""
    if mode == "none" or (mode == "auto" and headphones):
        return NoGuard(), "none"
    if mode in ("auto", "webrtc"):
        try:
            return WebRtcGuard(), "webrtc"
        except ImportError:
            if mode == "webrtc":
                raise
    return HalfDuplex(tail_ms), "half duplex"


def _float(block: Samples) -> Audio:
    return block.astype(np.float32) / np.float32(SCALE)


def _int16(block: Audio) -> Samples:
    return _rounded(block * np.float32(SCALE))


def _rounded(block: Audio) -> Samples:
    return np.rint(np.clip(block, -32_768, 32_767)).astype(np.int16)
