"""The voices of made calls: what speaks a text at a stated pace, the same each time."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from stages.audio.level import utterance_span
from stages.audio.resample import resample
from stages.contract import Audio, Voice
from stages.errors import EnvironmentFault

SLOWEST, FASTEST = 0.5, 2.0
"""The paces at which the second speaker can still be understood; 1 is its own."""


_SENTENCE_GAP_S = 0.35
"""Silence between two sentences of one text, at pace 1: shorter than what labels count as a hold."""


class PacedVoice(Protocol):
    """Speaks text at a stated pace, deterministically."""

    @property
    def name(self) -> str:
        """What the made file says about who speaks."""
        ...

    @property
    def rate_hz(self) -> int:
        """Sample rate of what ``speak`` returns."""
        ...

    def speak(self, text: str, speed: float = 1.0) -> Audio:
        """Audio of ``text`` at ``speed`` (SLOWEST to FASTEST)."""
        ...


class HibariVoice:
    """The second speaker (hibari-tts, in its package: no download). ``pitch`` below 1 makes a deeper speaker.

    A pitch of 0.8 is had by speaking 1 / 0.8 times as fast and stretching the samples, which also lowers the formants.
    """

    def __init__(self, *, pitch: float = 1.0, seed: int = 1) -> None:
        """Load the model. Raises EnvironmentFault if the package is missing."""
        try:
            from hibari import Hibari
        except ImportError as error:
            raise EnvironmentFault(
                "voice.hibari",
                "Made calls need the package hibari-tts.",
                "Install it: pip install hibari-tts",
            ) from error
        self._engine, self._pitch, self._seed = Hibari(threads=1), pitch, seed

    @property
    def name(self) -> str:
        """Package, voice and pitch."""
        return f"hibari {self._engine.voice}" + ("" if self._pitch == 1.0 else f", pitch {self._pitch:g}")

    @property
    def rate_hz(self) -> int:
        """24 kHz."""
        return int(self._engine.sample_rate)

    def speak(self, text: str, speed: float = 1.0) -> Audio:
        """Audio of ``text``, float32; the same samples for the same text, speed, pitch and seed."""
        slow_hz = round(self.rate_hz * self._pitch)
        sentences = self._engine.stream(text, speed=speed / self._pitch, seed=self._seed)
        audio = [resample(np.asarray(one, np.float32), slow_hz, self.rate_hz) for one in sentences]
        return _joined(audio, self.rate_hz, round(_SENTENCE_GAP_S / speed * self.rate_hz))


def _joined(sentences: list[Audio], rate_hz: int, gap: int) -> Audio:
    """Sentences one after the other with ``gap`` samples between their voices; the engine leaves 0.8 s."""
    placed: list[tuple[int, Audio]] = []
    voice_ends = 0
    for audio in sentences:
        span = utterance_span(audio, rate_hz)
        if span is not None:
            at = voice_ends + gap - span[0] if placed else 0
            placed.append((max(0, at), audio))
            voice_ends = placed[-1][0] + span[1]
    out = np.zeros(max((at + len(audio) for at, audio in placed), default=0), np.float32)
    for at, audio in placed:
        out[at : at + len(audio)] += audio
    return out


class Unpaced:
    """A stage's voice in a made call: it has one pace, whatever is asked."""

    def __init__(self, voice: Voice, name: str) -> None:
        self._voice, self._name = voice, name

    @property
    def name(self) -> str:
        """As given."""
        return self._name

    @property
    def rate_hz(self) -> int:
        """The voice's own."""
        return self._voice.rate_hz

    def speak(self, text: str, speed: float = 1.0) -> Audio:
        """Audio of ``text`` at the voice's own pace."""
        return self._voice.speak(text)
