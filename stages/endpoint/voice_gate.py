"""Which windows hold the caller's voice: voice activity with hysteresis, and the level against its lag.

Silero's probability falls 70 to 120 ms after a voice has ended (its state has to decay). The level falls at once. So
a window far below the utterance's own level, or hardly above the noise, is silence as soon as it is heard.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from stages.contract import Audio

FADE_DB = 0.2
"""How fast the loudest window of an utterance is forgotten, for each window (6 dB a second)."""
FORGET_WINDOWS = 16
"""Windows without voice after which the next voice is another utterance, with a level of its own."""
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
        quiet_db: how far below the loudest window of its utterance a window is silence; None: by probability alone.
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
        self._silent = FORGET_WINDOWS

    def push(self, window: Audio, probability: float) -> Voice:
        """Judge the next window (float32, 16 kHz) with its probability of voice."""
        limits = self._thresholds
        self._voiced = probability >= (limits.end if self._voiced else limits.begin)
        if limits.quiet_db is None:
            return Voice(self._voiced, self._voiced)
        power = float(np.mean(np.square(window, dtype=np.float64)))
        level = 10.0 * math.log10(max(power, 1e-12))
        if self._voiced:
            fresh = self._silent >= FORGET_WINDOWS
            self._peak_db = level if fresh else max(level, self._peak_db - FADE_DB)
            self._silent = 0
        else:
            self._silent += 1
            if probability < CLEARLY_SILENT:
                before = level if self._floor_db is None else self._floor_db
                self._floor_db = before + FLOOR_SPEED * (level - before)
        floor = _LOWEST_DB if self._floor_db is None else self._floor_db + FLOOR_DB
        quiet = level < max(self._peak_db - limits.quiet_db, min(floor, self._peak_db - FLOOR_DB))
        return Voice(self._voiced, self._voiced and not quiet)
