"""PURE: when each way of deciding would end the turn, given what the models said."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from agent.bench.turn_end_evidence import Asked
from agent.bench.turn_end_walk import WINDOW_MS
from agent.config.endpoint import EndpointConfig
from stages.endpoint.evidence import Evidence

LEAST_MS = EndpointConfig().least_ms
"""Silence before which the fused model decides nothing."""
SOUND_TAKES_MS = 64.0
WORDS_KNOWN_MS = 160.0
TEXT_END_KNOWN_MS = 192.0
"""What an answer costs live, in whole windows: 45 to 60 ms for the sound model; words read from the first silent
window on, in 100 to 120 ms; 20 to 30 ms for the language model's question."""

REPEAT_MS = 96.0
LONGEST_MS = 6000.0


class Policy(Protocol):
    """A way of deciding."""

    @property
    def name(self) -> str:
        """How the table calls it."""
        ...

    def commit_ms(self, asked: Asked) -> float:
        """The silence after which the turn is taken as over, if the silence lasts that long."""
        ...


def windows(length_ms: float) -> float:
    """``length_ms`` rounded up to whole windows."""
    return math.ceil(length_ms / WINDOW_MS - 1e-9) * WINDOW_MS


@dataclass(frozen=True, slots=True)
class Timer:
    """A bare voice-activity time-out."""

    silence_ms: float

    @property
    def name(self) -> str:
        """How the table calls it."""
        return f"VAD timer {self.silence_ms:.0f} ms"

    def commit_ms(self, asked: Asked) -> float:
        """See :class:`Policy`."""
        return windows(self.silence_ms)


@dataclass(frozen=True, slots=True)
class SoundAlone:
    """smart-turn as pipecat uses it: asked once when voice activity stops, and a time-out for its "incomplete"."""

    threshold: float = 0.5
    stop_ms: float = 200.0
    timeout_ms: float = 3000.0

    @property
    def name(self) -> str:
        """How the table calls it."""
        return f"smart-turn {self.threshold:g}, time-out {self.timeout_ms / 1000.0:g} s"

    def commit_ms(self, asked: Asked) -> float:
        """See :class:`Policy`."""
        at = windows(self.stop_ms)
        sure = asked.sound.get(at, 0.0) >= self.threshold
        return at + SOUND_TAKES_MS if sure else max(windows(self.timeout_ms), at + SOUND_TAKES_MS)


@dataclass(frozen=True, slots=True)
class Scheduled:
    """A silence for each probability of the sound model, asked again and again; the words have to be there."""

    hold_ms: Callable[[float | None], float]
    name: str = "schedule of the sound alone"

    def commit_ms(self, asked: Asked) -> float:
        """See :class:`Policy`."""
        at = WORDS_KNOWN_MS
        while at < LONGEST_MS:
            known = sound_known(asked, at)
            if at >= self.hold_ms(known[-1] if known else None):
                return at
            at += WINDOW_MS
        return at


def sound_known(asked: Asked, at_ms: float) -> tuple[float, ...]:
    """The sound model's answers that are there after ``at_ms`` of silence, asked first at 64 ms and every 96 ms."""
    return tuple(
        p
        for ask, p in asked.sound.items()
        if (ask - 64.0) % REPEAT_MS == 0.0 and ask + SOUND_TAKES_MS <= at_ms
    )


def evidence_at(asked: Asked, at_ms: float) -> Evidence:
    """What is known after ``at_ms`` of silence."""
    silence = asked.silence
    return Evidence(
        audio=sound_known(asked, at_ms),
        text=asked.text if at_ms >= WORDS_KNOWN_MS else None,
        text_end=asked.text_end if at_ms >= TEXT_END_KNOWN_MS and asked.text else None,
        said=silence.said,
        pauses_ms=silence.pauses_ms,
        turn_ms=silence.start_ms - silence.turn_start_ms,
    )
