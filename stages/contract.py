"""What each stage promises. A heavy model is shared; what belongs to one stream or utterance is passed in.

Audio is float32 mono in [-1, 1], shape ``(samples,)``; the rate stands beside it. An ``Abort`` is asked between
steps and answers True when the work is no longer wanted: the engine then raises :class:`stages.errors.Aborted`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypedDict, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Audio = NDArray[np.float32]
Abort = Callable[[], bool]

RATE_HZ = 16_000
"""The rate at which voice activity, turn end and recognition listen."""

WINDOW_SAMPLES = 512
"""One voice-activity window: 32 ms at 16 kHz."""


def never() -> bool:
    """The abort callable of work that is always wanted."""
    return False


class VoiceActivity(Protocol):
    """Tells speech from the rest, one window at a time. One object a stream: it carries the model's state."""

    def probability(self, window: Audio) -> float:
        """Probability that ``window`` (512 samples at 16 kHz) holds speech."""
        ...

    def reset(self) -> None:
        """Forget the stream so far."""
        ...


class TurnEndModel(Protocol):
    """Tells a finished turn from a pause, by how it sounds."""

    def probability(self, turn: Audio) -> float:
        """Probability that the caller is done, from the turn so far (16 kHz; the last 8 s are used)."""
        ...


class TextEndModel(Protocol):
    """Tells a finished turn from a pause, by its words. Not thread safe: its owner serialises the calls."""

    def end_probability(self, said: str, text: str, *, abort: Abort = never) -> float:
        """Probability that a message of ``text`` ends there, after the agent said ``said``. Raises Aborted."""
        ...

    def close(self) -> None:
        """Give the memory back."""
        ...


@dataclass(frozen=True, slots=True)
class Word:
    """One word: where it is in the audio that was read, in ms, and how sure of it the recogniser is, in [0, 1]."""

    text: str
    start_ms: float
    end_ms: float
    confidence: float


@dataclass(frozen=True, slots=True)
class Transcript:
    """What was said in one stretch of audio.

    ``rejected`` names why audio was judged to hold no speech (then ``text`` is empty), else None.
    ``no_speech`` and ``mean_logprob`` are the recogniser's own, in [0, 1] and (-inf, 0].
    ``words`` are those of ``text`` with their times, where they were asked for and can be told.
    """

    text: str
    no_speech: float = 0.0
    mean_logprob: float = 0.0
    tokens: int = 0
    rejected: str | None = None
    words: tuple[Word, ...] = ()


class Recogniser(Protocol):
    """Writes down speech."""

    def transcribe(self, audio: Audio, *, abort: Abort = never) -> Transcript:
        """Read ``audio`` (16 kHz, up to 30 s) once, greedily. Raises Aborted, InputError, EnvironmentFault."""
        ...


class Message(TypedDict):
    """One line of a conversation, as chat models take it."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Prefill:
    """What reading a prompt cost: tokens in all, and how many of them were already in the cache.

    ``wasted_tokens`` were read ahead since the prompt before, and thrown away because the text changed.
    """

    prompt_tokens: int
    reused_tokens: int
    wasted_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of generated text: valid UTF-8, and how many tokens it stands for."""

    text: str
    tokens: int


class Seat(Protocol):
    """One language model with its cache. Not thread safe: its owner serialises the calls."""

    def prefill(self, messages: Sequence[Message], *, abort: Abort = never) -> Prefill:
        """Read the prompt into the cache, keeping the longest common prefix of what is there."""
        ...

    def reply(
        self, messages: Sequence[Message], *, max_tokens: int, temperature: float = 0.0, abort: Abort = never
    ) -> Iterator[Piece]:
        """Read what is new of the prompt, then generate. Ends at the model's own stop token or ``max_tokens``."""
        ...

    @property
    def last_prefill(self) -> Prefill:
        """What the last prompt cost."""
        ...

    def close(self) -> None:
        """Give the memory back; the seat cannot be used afterwards."""
        ...


@runtime_checkable
class ReadsAlong(Protocol):
    """A seat that can read what the caller is still saying."""

    def read_along(self, messages: Sequence[Message], *, abort: Abort = never) -> Prefill:
        """Read the prompt into the cache without closing its last message. Raises as ``prefill``."""
        ...


class Voice(Protocol):
    """Speaks text."""

    @property
    def rate_hz(self) -> int:
        """Sample rate of what ``speak`` returns."""
        ...

    def speak(self, text: str) -> Audio:
        """Audio of ``text``: no silence in front, a short joint behind. Empty if there is nothing to speak."""
        ...
