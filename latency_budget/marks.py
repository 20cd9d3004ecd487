"""The marks of one turn: named moments on one monotonic clock, and the orders that cannot be."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from enum import StrEnum
from itertools import pairwise
from types import MappingProxyType


class Mark(StrEnum):
    """A moment of one turn. What each means exactly stands in docs/latency.md."""

    SPEECH_START = "speech_start"
    SPEECH_END = "speech_end"
    SILENCE_SEEN = "silence_seen"
    TURN_END = "turn_end"
    ASR_FINAL = "asr_final"
    REPLY_STARTED = "reply_started"
    SEAT_STARTED = "seat_started"
    REPLY_FIRST_SEGMENT = "reply_first_segment"
    TTS_FIRST_CHUNK = "tts_first_chunk"
    FIRST_AUDIO = "first_audio"
    FIRST_CONTENT = "first_content"
    REPLY_END = "reply_end"


_HEARD = (Mark.FIRST_AUDIO, Mark.FIRST_CONTENT, Mark.REPLY_END)
_MADE = (Mark.REPLY_STARTED, Mark.SEAT_STARTED, Mark.REPLY_FIRST_SEGMENT, Mark.TTS_FIRST_CHUNK)

_CHAINS: tuple[tuple[Mark, ...], ...] = (
    (Mark.SPEECH_START, Mark.SPEECH_END),
    (Mark.SPEECH_START, Mark.SILENCE_SEEN),
    (Mark.SPEECH_START, Mark.TURN_END, *_HEARD),
    (Mark.SPEECH_START, Mark.ASR_FINAL, Mark.FIRST_CONTENT, Mark.REPLY_END),
    (*_MADE, Mark.FIRST_CONTENT, Mark.REPLY_END),
)
"""Marks that must not run backwards along a chain; a mark that is absent is stepped over.

Not in here, because it happens: ``turn_end`` before ``speech_end`` (the agent committed while the labelled
turn was still going on: a cut-in, or a lucky guess), and ``asr_final``, ``reply_started`` and
``tts_first_chunk`` before ``turn_end`` (work done ahead).
"""

_CHAIN_WITHOUT_BRIDGE = (*_MADE, *_HEARD)
"""A bridge phrase is heard before its reply is made, so this chain holds only where there was none."""


class MarkOrderError(Exception):
    """Marks in an order that cannot be: a stale mark, a mixed-up turn or a second clock.

    Attributes:
        turn: the turn's id.
        earlier: the mark that has to come first.
        later: the mark that has to come second; the same as ``earlier`` when its own value is not a finite
            number.
        values: every mark of the turn, in ms.
    """

    def __init__(self, turn: int | str, earlier: Mark, later: Mark, values: Mapping[Mark, float]) -> None:
        self.turn, self.earlier, self.later, self.values = turn, earlier, later, dict(values)
        if earlier is later:
            message = f"turn {turn}: {earlier} is {values[earlier]}, which is no time"
        else:
            late = f"{later} ({values[later]:.1f} ms)"
            message = f"turn {turn}: {late} lies before {earlier} ({values[earlier]:.1f} ms)"
        super().__init__(message)


class TurnMarks(Mapping[Mark, float]):
    """The marks of one turn in ms, frozen and in a possible order. Marks that did not happen are absent.

    Args:
        turn: the turn's id, for messages.
        values: mark -> ms.
        bridged: a bridge phrase came first, so ``first_audio`` may lie before the marks of the reply itself.

    Raises:
        MarkOrderError: a value is not finite, or two marks run backwards.
    """

    __slots__ = ("_values", "turn")

    def __init__(self, turn: int | str, values: Mapping[Mark, float], *, bridged: bool = False) -> None:
        self.turn = turn
        ordered = {mark: float(values[mark]) for mark in Mark if mark in values}
        self._values: Mapping[Mark, float] = MappingProxyType(ordered)
        for mark, at_ms in ordered.items():
            if not math.isfinite(at_ms):
                raise MarkOrderError(turn, mark, mark, ordered)
        for chain in _CHAINS if bridged else (*_CHAINS, _CHAIN_WITHOUT_BRIDGE):
            self._check(chain)

    def _check(self, chain: tuple[Mark, ...]) -> None:
        present = [mark for mark in chain if mark in self._values]
        for earlier, later in pairwise(present):
            if self._values[later] < self._values[earlier]:
                raise MarkOrderError(self.turn, earlier, later, self._values)

    def __getitem__(self, mark: Mark) -> float:
        return self._values[mark]

    def __iter__(self) -> Iterator[Mark]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"TurnMarks({self.turn!r}, { ({str(mark): at for mark, at in self.items()})!r})"
