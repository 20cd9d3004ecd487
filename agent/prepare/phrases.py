"""Phrases that are spoken already: whoever has to say one of them has its audio at once."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Protocol

import numpy as np

from agent.compute import Compute, Grant, Priority
from stages.contract import Audio, Voice
from stages.errors import StageError

SHORTEST_S, LONGEST_S = 0.02, 60.0
"""Lengths that a phrase can have."""
SILENT = 1e-3
"""A phrase whose loudest sample is below this is none."""


class PhraseStore(Protocol):
    """Where phrases are kept between runs."""

    def get(self, text: str, rate_hz: int) -> Audio | None:
        """The audio of ``text``, or None."""
        ...

    def put(self, text: str, rate_hz: int, audio: Audio) -> bool:
        """Keep ``audio``."""
        ...


class Phrases:
    """Audio by text, in memory. A text is found by its exact words and marks; only blanks may differ."""

    def __init__(self, rate_hz: int) -> None:
        self._rate_hz = rate_hz
        self._audio: dict[str, Audio] = {}

    def __len__(self) -> int:
        return len(self._audio)

    def __contains__(self, text: str) -> bool:
        return normalised(text) in self._audio

    def get(self, text: str) -> Audio | None:
        """The audio of ``text`` at the voice's rate; None where it has to be spoken."""
        return self._audio.get(normalised(text))

    def add(self, text: str, audio: Audio) -> bool:
        """Keep ``audio`` for ``text``; False where it cannot be speech."""
        if not believable(audio, self._rate_hz):
            return False
        self._audio[normalised(text)] = audio
        return True


def normalised(text: str) -> str:
    """The same for texts that sound the same in any voice: one form of each letter, single blanks."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def believable(audio: object, rate_hz: int) -> bool:
    """Whether ``audio`` can be a spoken phrase: float32 mono, finite, in [-1, 1], audible, of a possible length."""
    if not isinstance(audio, np.ndarray) or audio.dtype != np.float32 or audio.ndim != 1:
        return False
    if not SHORTEST_S * rate_hz <= len(audio) <= LONGEST_S * rate_hz or not np.isfinite(audio).all():
        return False
    return bool(SILENT <= float(np.abs(audio).max()) <= 1.0)


async def prepare(
    texts: Iterable[str], voice: Voice, compute: Compute, store: PhraseStore | None, threads: int = 1
) -> Phrases:
    """Have all ``texts`` in memory: from ``store``, else spoken behind all other work and kept there.

    A phrase that cannot be had is left out: it will be spoken when it is needed, like any other text.
    """
    phrases = Phrases(voice.rate_hz)
    for text in dict.fromkeys(normalised(text) for text in texts):
        if not text:
            continue

        def work(grant: Grant, text: str = text) -> Audio:
            return _had(text, voice, store)

        try:
            phrases.add(text, await compute.run(Priority.BACKGROUND, work, threads=threads, resource="voice"))
        except StageError:
            continue
    return phrases


def _had(text: str, voice: Voice, store: PhraseStore | None) -> Audio:
    """From the store if it is believable, else spoken anew and kept."""
    kept = None if store is None else store.get(text, voice.rate_hz)
    if kept is not None and believable(kept, voice.rate_hz):
        return kept
    audio = voice.speak(text)
    if store is not None and believable(audio, voice.rate_hz):
        store.put(text, voice.rate_hz, audio)
    return audio
