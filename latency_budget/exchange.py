"""The two things that are matched: what the caller said by the labels, and what the agent did."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from latency_budget.marks import Mark

Span = tuple[float, float]
"""A stretch of time, (start, end) in ms."""

Path = Literal["cached", "speculated", "fast", "accurate"]
"""The way that a reply was made."""

DERIVED_MARKS = frozenset(
    {Mark.SPEECH_START, Mark.SPEECH_END, Mark.FIRST_AUDIO, Mark.REPLY_END},
)
"""Marks that an exchange does not carry: they come from the labelled turn and from ``audible``."""


@dataclass(frozen=True, slots=True)
class CallerTurn:
    """One labelled turn of the caller.

    Attributes:
        index: its number in the call.
        start_ms: first voiced sample.
        end_ms: last voiced sample.
        holds: silences inside the turn, in order. The turn goes on in them; the caller is not audible in
            them.
        reference: the label's text, None if it has none.
    """

    index: int
    start_ms: float
    end_ms: float
    holds: tuple[Span, ...] = ()
    reference: str | None = None

    def __post_init__(self) -> None:
        _check_spans(f"caller turn {self.index}", ((self.start_ms, self.end_ms),))
        _check_spans(f"holds of caller turn {self.index}", self.holds)
        if self.holds and not (self.start_ms <= self.holds[0][0] and self.holds[-1][1] <= self.end_ms):
            raise ValueError(f"caller turn {self.index}: a hold lies outside the turn")

    def voiced(self) -> Iterator[Span]:
        """The stretches in which the caller is audible: the turn without its holds."""
        at = self.start_ms
        for hold_start, hold_end in self.holds:
            yield at, hold_start
            at = hold_end
        yield at, self.end_ms


@dataclass(frozen=True, slots=True)
class Exchange:
    """One commit of the agent and the reply that followed, if any did.

    Attributes:
        id: unique in the call.
        marks: what the agent saw, in ms; ``turn_end`` always, never a mark of ``DERIVED_MARKS``.
            ``first_content`` is absent when nothing that answers was heard.
        audible: spans of audible agent audio of this reply, in order. Empty if nothing was heard.
        interrupted_at_ms: when the agent stopped because it took something for the caller speaking over it.
        heard: the transcript that the commit rests on.
        said: the words of the reply that were played.
        path: how the reply was made; None without a reply.
        bridge: the bridge phrase that came first, if one did.
        words_lost: the agent knows that caller words of this turn reached no transcript.
        done: nothing of this exchange will be heard any more. False only while a call still runs.
    """

    id: int
    marks: Mapping[Mark, float]
    audible: tuple[Span, ...] = ()
    interrupted_at_ms: float | None = None
    heard: str = ""
    said: str = ""
    path: Path | None = None
    bridge: str | None = None
    words_lost: bool = False
    done: bool = True

    def __post_init__(self) -> None:
        _check_spans(f"audible spans of exchange {self.id}", self.audible)
        if Mark.TURN_END not in self.marks:
            raise ValueError(f"exchange {self.id} has no turn_end")
        if wrong := DERIVED_MARKS.intersection(self.marks):
            raise ValueError(f"exchange {self.id} carries derived marks: {', '.join(sorted(wrong))}")
        if Mark.FIRST_CONTENT in self.marks and not self.audible:
            raise ValueError(f"exchange {self.id} has first_content but nothing was audible")

    @property
    def turn_end_ms(self) -> float:
        """When the agent committed."""
        return self.marks[Mark.TURN_END]

    @property
    def first_audio_ms(self) -> float | None:
        """When the reply became audible, None if it never did."""
        return self.audible[0][0] if self.audible else None

    @property
    def reply_end_ms(self) -> float | None:
        """When the last audible sample was heard."""
        return self.audible[-1][1] if self.audible else None

    @property
    def at_ms(self) -> float:
        """When it happened for the caller's ear: its first audible sample, or the commit where nothing was
        heard.
        """
        return self.audible[0][0] if self.audible else self.turn_end_ms

    def overlap_ms(self, turn: CallerTurn) -> float:
        """How long the agent and the caller's voice are audible together inside ``turn``."""
        return sum(
            max(0.0, min(ours[1], theirs[1]) - max(ours[0], theirs[0]))
            for theirs in turn.voiced()
            for ours in self.audible
        )


def _check_spans(what: str, spans: tuple[Span, ...]) -> None:
    """Spans are finite, not empty, in order and apart."""
    before = -math.inf
    for start, end in spans:
        if not (math.isfinite(start) and math.isfinite(end)):
            raise ValueError(f"{what}: ({start}, {end}) is not finite")
        if end <= start or start < before:
            raise ValueError(f"{what}: ({start}, {end}) is empty, runs backwards or overlaps the one before")
        before = end
