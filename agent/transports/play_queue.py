"""Between the event loop and the sound card's callback: samples and marks in one order, without a lock.

One side appends, the other takes; both are atomic under the interpreter's own lock and neither ever waits. What is
taken comes back as notes, with the time at which it sounds, so that the event loop knows exactly what was heard.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pipecat.frames.frames import Frame

Samples = NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class Sound:
    """Mono samples of a reply. As a note: they sound from ``at_ms`` on."""

    reply: int
    samples: Samples
    at_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Marker:
    """A frame that stands between samples: all before it has been taken. ``ends``: the reply has no more."""

    reply: int
    frame: Frame
    ends: bool = False


@dataclass(frozen=True, slots=True)
class Starved:
    """The card ran dry in the middle of a reply."""


Item = Sound | Marker
Note = Sound | Marker | Starved


class PlayQueue:
    """``put`` and ``cancel`` belong to the event loop, ``pull`` to the callback."""

    def __init__(self, rate_hz: int, fade_ms: float) -> None:
        self.rate_hz = rate_hz
        self._fade = np.linspace(1.0, 0.0, max(1, round(rate_hz * fade_ms / 1000.0)), dtype=np.float32)
        self._items: deque[Item] = deque()
        self._cancelled: set[int] = set()
        self._put = 0
        self._taken = 0
        self._now: Sound | None = None  # what the callback is in the middle of
        self._at = 0  # how much of it is taken
        self._sounding: int | None = None  # the reply that has begun and not ended
        self._dry = False
        self.notes: deque[Note] = deque()

    # -- the event loop's side ---------------------------------------------------------------------------------------

    def put(self, item: Item) -> None:
        """Add samples or a mark behind all that is there. What belongs to a cancelled reply goes no further."""
        if isinstance(item, Sound):
            self._put += len(item.samples)
        self._items.append(item)

    def cancel(self, reply: int) -> None:
        """Nothing of ``reply`` sounds any more, but for the fade of what sounds now."""
        self._cancelled.add(reply)

    def is_cancelled(self, reply: int) -> bool:
        """Whether ``reply`` was cancelled."""
        return reply in self._cancelled

    @property
    def waiting_ms(self) -> float:
        """Audio that was put and not yet taken."""
        return (self._put - self._taken) * 1000.0 / self.rate_hz

    # -- the callback's side -----------------------------------------------------------------------------------------

    def pull(self, count: int, at_ms: float) -> Samples:
        """The next ``count`` samples, which sound from ``at_ms`` on; silence where there is nothing."""
        out = np.zeros(count, dtype=np.int16)
        filled = 0
        while filled < count:
            sound = self._next()
            if sound is None:
                self._dry = self._sounding is not None
                break
            if self._dry:
                self._dry = False
                self.notes.append(Starved())
            part = self._part(sound, count - filled)
            out[filled : filled + len(part)] = part
            self.notes.append(Sound(sound.reply, part, at_ms + filled * 1000.0 / self.rate_hz))
            filled += len(part)
        return out

    def starved(self) -> None:
        """The card itself ran dry; it counts in the middle of a reply."""
        if self._sounding is not None:
            self.notes.append(Starved())

    def _next(self) -> Sound | None:
        """What is to be played, if anything: steps over marks and over what was cancelled."""
        if self._now is not None:
            return self._now
        while self._items:
            item = self._items.popleft()
            gone = item.reply in self._cancelled
            if isinstance(item, Marker):
                self._sounding = None if item.ends or gone else item.reply
                if not gone:
                    self.notes.append(item)
            elif gone and item.reply != self._sounding:
                self._taken += len(item.samples)
            else:  # what sounds is faded even if it was cancelled between two blocks
                self._now, self._at = item, 0
                return item
        if self._sounding in self._cancelled:
            self._sounding = None
        return None

    def _part(self, sound: Sound, room: int) -> Samples:
        """The next part of ``sound``, which fits into ``room``; the faded rest of it if it was cancelled."""
        rest = sound.samples[self._at :]
        if sound.reply in self._cancelled:
            self._now = None
            self._taken += len(rest)
            length = min(len(rest), room, len(self._fade))
            # A fade that the block or the room cuts off still ends at zero.
            ramp = (
                self._fade if length == len(self._fade) else np.linspace(1.0, 0.0, length, dtype=np.float32)
            )
            self._sounding = None
            return (rest[:length] * ramp).astype(np.int16)
        part = rest[:room]
        self._at += len(part)
        self._taken += len(part)
        if self._at >= len(sound.samples):
            self._now = None
        return part
