"""Scripted stand-ins for every engine: they say what they are told, count their calls, and never sleep.

A script is used up call by call and its last entry repeats; an entry that is an exception is raised.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar

import numpy as np

from stages.contract import Abort, Audio, Message, Piece, Prefill, Transcript, never
from stages.errors import Aborted

_T = TypeVar("_T")


class Script(Generic[_T]):
    """What a fake answers, call by call."""

    def __init__(self, entries: Sequence[_T | BaseException]) -> None:
        """``entries`` holds at least one answer."""
        if not entries:
            raise ValueError("A script needs at least one entry.")
        self._entries = list(entries)
        self.calls = 0

    def next(self) -> _T:
        """The answer to this call; raises it when it is an exception."""
        entry = self._entries[min(self.calls, len(self._entries) - 1)]
        self.calls += 1
        if isinstance(entry, BaseException):
            raise entry
        return entry


class FakeActivity:
    """Voice activity by script, or by level: without a script every window that is not silent is voiced."""

    def __init__(self, probabilities: Sequence[float | BaseException] | None = None) -> None:
        self._script = None if probabilities is None else Script(probabilities)
        self.calls = 0
        self.resets = 0

    def probability(self, window: Audio) -> float:
        """The next probability of the script, or 1.0 for a window above -60 dBFS and 0.0 for silence."""
        self.calls += 1
        if self._script is not None:
            return self._script.next()
        return float(np.abs(window).max(initial=0.0) > 0.001)

    def reset(self) -> None:
        """Counted; a script goes on where it was."""
        self.resets += 1


class FakeTurnEnd:
    """Turn end by script."""

    def __init__(self, probabilities: Sequence[float | BaseException] = (1.0,)) -> None:
        self._script = Script(probabilities)
        self.heard: list[int] = []
        """Samples that each call was given."""

    def probability(self, turn: Audio) -> float:
        """The next probability of the script."""
        self.heard.append(turn.size)
        return self._script.next()


class FakeTextEnd:
    """Turn end by the words, by script."""

    def __init__(self, probabilities: Sequence[float | BaseException] = (1.0,)) -> None:
        self._script = Script(probabilities)
        self.asked: list[tuple[str, str]] = []
        """What the agent had said and the words, call by call."""
        self.closed = False

    def end_probability(self, said: str, text: str, *, abort: Abort = never) -> float:
        """The next probability of the script. Raises Aborted when told to stop."""
        if abort():
            raise Aborted
        self.asked.append((said, text))
        return self._script.next()

    def close(self) -> None:
        """Remembered."""
        self.closed = True


class FakeRecogniser:
    """Recognition by script; ``steps`` is how often it asks whether to go on before it answers."""

    def __init__(
        self, texts: Sequence[str | Transcript | BaseException] = ("hello",), *, steps: int = 2
    ) -> None:
        self._script: Script[str | Transcript] = Script(texts)
        self._steps = steps
        self.heard: list[int] = []
        """Samples that each call was given."""
        self.aborted = 0

    def transcribe(self, audio: Audio, *, abort: Abort = never) -> Transcript:
        """The next text of the script. Raises Aborted when told to stop, and then uses nothing up."""
        self.heard.append(audio.size)
        for _ in range(self._steps):
            if abort():
                self.aborted += 1
                raise Aborted
        answer = self._script.next()
        return answer if isinstance(answer, Transcript) else Transcript(answer, tokens=len(answer.split()))


class FakeSeat:
    """A model that replies by script, one word a piece; a word counts as one token, also in the prompt.

    ``prefill_steps`` is how often it asks whether to go on while it reads; it also asks before each word.
    """

    def __init__(
        self, replies: Sequence[str | BaseException] = ("Sure. It is nine.",), *, prefill_steps: int = 1
    ) -> None:
        self._script = Script(replies)
        self._prefill_steps = prefill_steps
        self._cached: list[str] = []
        self._last = Prefill(0, 0)
        self.prompts: list[list[Message]] = []
        """The messages of each call that read a prompt."""
        self.aborted = 0
        self.closed = False

    @property
    def last_prefill(self) -> Prefill:
        """What the last prompt cost."""
        return self._last

    def prefill(self, messages: Sequence[Message], *, abort: Abort = never) -> Prefill:
        """Count the words of the prompt, and those that are as they were last time."""
        self.prompts.append(list(messages))
        words = [word for message in messages for word in (message["role"], *message["content"].split())]
        same = [old == new for old, new in zip(self._cached, words, strict=False)]
        reused = same.index(False) if False in same else len(same)
        self._last = Prefill(len(words), reused)
        for _ in range(self._prefill_steps):
            self._stop_if(abort)
        self._cached = words
        return self._last

    def reply(
        self, messages: Sequence[Message], *, max_tokens: int, temperature: float = 0.0, abort: Abort = never
    ) -> Iterator[Piece]:
        """The next reply of the script, word by word, at most ``max_tokens`` of them."""
        self.prefill(messages, abort=abort)
        words = self._script.next().split()[:max_tokens]
        for at, word in enumerate(words):
            self._stop_if(abort)
            self._cached.append(word)
            yield Piece(word if at == 0 else f" {word}", 1)

    def close(self) -> None:
        """Noted."""
        self.closed = True

    def _stop_if(self, abort: Abort) -> None:
        if abort():
            self.aborted += 1
            raise Aborted


class FakeVoice:
    """A voice that makes a tone, as long as the text: ``ms_per_char`` for each character."""

    def __init__(
        self,
        *,
        rate_hz: int = 22_050,
        ms_per_char: float = 60.0,
        faults: Sequence[BaseException | None] = (None,),
    ) -> None:
        """``faults`` says for each call what it raises, if anything."""
        self._rate_hz, self._ms_per_char = rate_hz, ms_per_char
        self._script = Script(faults)
        self.spoken: list[str] = []

    @property
    def rate_hz(self) -> int:
        """Sample rate of what ``speak`` returns."""
        return self._rate_hz

    def speak(self, text: str) -> Audio:
        """A tone of 220 Hz at -20 dBFS; empty for text without a letter or digit."""
        self.spoken.append(text)
        self._script.next()
        if not any(letter.isalnum() for letter in text):
            return np.zeros(0, dtype=np.float32)
        at = np.arange(round(len(text.strip()) * self._ms_per_char * self._rate_hz / 1000.0))
        return (0.1414 * np.sin(2 * np.pi * 220.0 * at / self._rate_hz)).astype(np.float32)
