"""Which windows hold the caller's voice: voice activity with hysteresis, and the level against its lag.

Silero's probability falls 70 to 120 ms after a voice has ended (its state has to decay). The level falls at once. So
a window far below its own run of voice, or hardly above the noise, may be silence as soon as it is heard: soon
enough to begin what the end of a turn needs. Decisions wait for voice activity: it takes no stop consonant for a
pause.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from stages.contract import Audio

FADE_DB = 0.2
"""How fast the loudest window of a run of voice is forgotten, for each window (6 dB a second)."""
FLOOR_DB = 3.0
"""Stationary noise stays within this of its mean level over a window of 32 ms."""
FLOOR_SPEED = 0.1
"""Share of each clearly silent window in the noise's level."""
CLEARLY_SILENT = 0.15
"""Probability of voice below which a window counts as noise alone."""
_LOWEST_DB = -120.0


class Voice(NamedTuple):
    """What a window holds. ``voiced``: by voice activity, which lags; ``loud``: and by its level, which does not."""

    voiced: bool
    loud: bool


@dataclass(frozen=True, slots=True)
class VoiceThresholds:
    """When a window holds voice.

    Attributes:
        begin: probability at which voice begins.
        end: probability below which it ends; lower, so that a faint vowel does not break it.
        quiet_db: how far below the loudest window of its run a window is faint; None: none is.
    """

    begin: float
    end: float
    quiet_db: float | None = None


class VoiceGate:
    """Follows one stream of windows."""

    def __init__(self, thresholds: VoiceThresholds) -> None:
        self._thresholds = thresholds
        self._voiced = False
        self._peak_db = _LOWEST_DB
        self._floor_db: float | None = None

    def push(self, window: Audio, probability: float) -> Voice:
        """Judge the next window (float32, 16 kHz) with its probability of voice."""
        limits = self._thresholds
        before = self._voiced
        self._voiced = probability >= (limits.end if before else limits.begin)
        if limits.quiet_db is None:
            return Voice(self._voiced, self._voiced)
        power = float(np.mean(np.square(window, dtype=np.float64)))
        level = 10.0 * math.log10(max(power, 1e-12))
        if self._voiced:
            self._peak_db = max(level, self._peak_db - FADE_DB) if before else level
        elif probability < CLEARLY_SILENT:
            noise = level if self._floor_db is None else self._floor_db
            self._floor_db = noise + FLOOR_SPEED * (level - noise)
        floor = _LOWEST_DB if self._floor_db is None else self._floor_db + FLOOR_DB
        quiet = level < max(self._peak_db - limits.quiet_db, min(floor, self._peak_db - FLOOR_DB))
        return Voice(self._voiced, self._voiced and not quiet)
