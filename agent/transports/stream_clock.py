"""When a device's samples sound, on the event loop's clock. Pure: every reading comes in as data."""

from __future__ import annotations

JUMP_MS = 60.0
"""A stream that is off by more than this has skipped or started anew; less is jitter of the readings."""

FOLLOW = 0.02
"""Share of each reading's difference that is followed: jitter averages out, the drift of a card's clock does not."""

LEAK_MS = 0.001
"""How much the smallest offset of the two clocks may grow a reading: 0.1 ms a second at 100 readings."""


class HostOffset:
    """Offset between PortAudio's clock and ours: the smallest seen, since a reading can only come late."""

    def __init__(self) -> None:
        self._offset_ms: float | None = None

    def to_ours(self, host_ms: float, host_now_ms: float, our_now_ms: float) -> float:
        """``host_ms`` on our clock, from a pair of readings that were taken one after the other."""
        seen = our_now_ms - host_now_ms
        known = self._offset_ms
        jumped = known is None or abs(seen - known) > 1000.0
        self._offset_ms = seen if known is None or jumped else min(known + LEAK_MS, seen)
        return host_ms + self._offset_ms


class StreamClock:
    """Maps a count of samples to milliseconds, steadily although each reading jitters."""

    def __init__(self, rate_hz: int) -> None:
        self._rate = rate_hz
        self.base_ms: float | None = None
        """When sample 0 sounded, as far as is known; None before the first reading."""

    def read(self, index: int, seen_ms: float) -> float:
        """Sample ``index`` was seen to sound at ``seen_ms``; returns when it does by all readings so far."""
        base = seen_ms - index * 1000.0 / self._rate
        if self.base_ms is None or abs(base - self.base_ms) > JUMP_MS:
            self.base_ms = base
        else:
            self.base_ms += FOLLOW * (base - self.base_ms)
        return self.at(index)

    def at(self, index: int) -> float:
        """When sample ``index`` sounds. There must have been a reading."""
        assert self.base_ms is not None
        return self.base_ms + index * 1000.0 / self._rate
