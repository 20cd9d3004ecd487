"""Whether the agent's voice comes back through the microphone, and how much later: looked for while it is heard."""

from __future__ import annotations

from typing import Literal

import numpy as np

from agent.transports.play_queue import Samples
from agent.transports.played import AUDIBLE, LEAD_MS, PlayedReference
from stages.audio.echo_finder import LONGEST, WINDOW, EchoFinder
from stages.contract import RATE_HZ

EVERY_MS = 100.0
CLEAR = 8.0
TIMES = 3
"""Clarity from which an echo may be there, and how often running at one delay: then it is. Two people who only spoke at
the same time reached 7.3 in 99 % of the windows, and up to 20 in single ones."""

ENOUGH = 0.5
"""So much of what is compared must be audible: the first 100 ms of a reply seem to fit to anything."""

SURE_AFTER_MS = 600.0
"""So much of the agent's voice without an echo: there is none. One of -40 dB shows within 0.5 s."""

FORGET_AFTER_MS = 10_000.0
"""So much of it without the echo that was there: the caller put headphones on."""

SAME_MS = 2.0
MOVED_MS = 10.0
"""A delay that differs by more is another path."""

EchoState = Literal["unknown", "found", "none"]


class EchoWatch:
    """``state`` and ``delay_ms`` (of the echo against the reference; may be negative) are true at any moment."""

    def __init__(self) -> None:
        self.state: EchoState = "unknown"
        self.delay_ms = 0.0
        self._finder = EchoFinder()
        self._heard = np.zeros(WINDOW, dtype=np.float32)
        self._next_ms = 0.0
        self._seen_ms, self._times = 0.0, 0  # the delay that is clear now, and how often it was
        self._without_ms = 0.0  # voice of the agent since an echo was last clear

    def look(self, at_ms: float, block: Samples, reference: PlayedReference) -> bool:
        """``block`` was recorded from ``at_ms`` on. Returns whether an echo was found at a new delay."""
        self._heard = np.concatenate([self._heard[len(block) :], block])[-WINDOW:].astype(np.float32)
        end_ms = at_ms + len(block) * 1000.0 / RATE_HZ
        if end_ms < self._next_ms:
            return False
        self._next_ms = end_ms + EVERY_MS
        span = WINDOW + LONGEST
        played = reference.slice(end_ms + LEAD_MS - span * 1000.0 / RATE_HZ, span)
        if _audible_share(played[-WINDOW:]) < ENOUGH:
            return False
        self._finder.push(self._heard, played.astype(np.float32))
        return self._judge()

    def _judge(self) -> bool:
        clear = self._finder.clarity >= CLEAR
        delay_ms = self._finder.delay * 1000.0 / RATE_HZ - LEAD_MS
        if clear and (self.state != "found" or abs(delay_ms - self.delay_ms) <= MOVED_MS):
            self._without_ms = 0.0
        else:  # a chance likeness at another delay keeps no echo alive that is gone
            self._without_ms += EVERY_MS
            if self._without_ms >= (FORGET_AFTER_MS if self.state == "found" else SURE_AFTER_MS):
                self.state = "none"
        if not clear:
            self._times = 0
            return False
        self._times = self._times + 1 if abs(delay_ms - self._seen_ms) <= SAME_MS else 1
        self._seen_ms = delay_ms
        if self.state == "none":
            self.state = "unknown"  # what is not sure yet is treated as an echo
        known = self.state == "found" and abs(delay_ms - self.delay_ms) <= MOVED_MS
        if known or self._times < TIMES:
            return False
        self.state, self.delay_ms, self._without_ms = "found", delay_ms, 0.0
        return True


def _audible_share(played: Samples) -> float:
    windows = np.abs(played[: len(played) // 160 * 160].astype(np.int32)).reshape(-1, 160).max(axis=1)
    return float(np.mean(windows >= AUDIBLE))
