"""The caller's turns of a live call, pure: from what turn taking opened and committed to what the report matches.

``speech_end`` is the end of the last voiced window of the last commit, pulled back to the last 10 ms window within
30 dB of the turn's loudest, as it is done for labels: the figures of a live call and of its replay mean the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from agent.recorder import ReplyRecord
from latency_budget.exchange import CallerTurn, Span
from stages.audio.level import remove_dc, utterance_span
from stages.contract import RATE_HZ, Audio

HOLD_MS = 200.0
"""A silence inside a turn that is longer than this is a hold."""

Slice = Callable[[float, float], Audio]
"""The caller's audio between two positions, in milliseconds."""


@dataclass
class LiveTurns:
    """``turns`` grows as turns are over for good; ``words`` has what was heard in each, by its index."""

    audio: Slice
    turns: list[CallerTurn] = field(default_factory=list)
    words: dict[int, str] = field(default_factory=dict)
    _opened: list[tuple[int, float]] = field(default_factory=list)
    _voiced: list[Span] = field(default_factory=list)

    def opened(self, turn: int, start_ms: float) -> None:
        """Turn taking opened a turn."""
        self._opened.append((turn, start_ms))

    def window(self, end_ms: float, length_ms: float, voiced: bool) -> None:
        """A voice-activity window was heard."""
        if not voiced:
            return
        start_ms = end_ms - length_ms
        if self._voiced and start_ms - self._voiced[-1][1] <= HOLD_MS:
            self._voiced[-1] = (self._voiced[-1][0], end_ms)
        else:
            self._voiced.append((start_ms, end_ms))

    def settle(self, records: Iterable[ReplyRecord], *, idle: bool) -> None:
        """Take over the turns that cannot go on any more: a later one was opened, or nothing is under way."""
        commits: dict[int, list[ReplyRecord]] = {}
        for record in records:
            if record.committed:
                commits.setdefault(record.turn, []).append(record)
        while self._opened and (idle or len(self._opened) > 1):
            turn, start_ms = self._opened.pop(0)
            if turn in commits:
                self._finish(start_ms, commits[turn])

    def _finish(self, start_ms: float, commits: Sequence[ReplyRecord]) -> None:
        last = max(commits, key=lambda record: record.covers_ms)
        start_ms, end_ms = self._pulled_back(start_ms, last.covers_ms)
        index = len(self.turns)
        self.turns.append(CallerTurn(index, start_ms, end_ms, self._holds(start_ms, end_ms)))
        self.words[index] = last.heard

    def _pulled_back(self, start_ms: float, end_ms: float) -> Span:
        heard = self.audio(start_ms, end_ms)
        span = utterance_span(remove_dc(heard), RATE_HZ) if len(heard) else None
        if span is None:
            return start_ms, max(end_ms, start_ms + 1.0)
        per_ms = RATE_HZ / 1000.0
        held_ms = end_ms - len(heard) / per_ms  # a very long turn's begin is no longer held
        begin_ms = start_ms if held_ms > start_ms + 1.0 else held_ms + span[0] / per_ms
        return begin_ms, held_ms + span[1] / per_ms

    def _holds(self, start_ms: float, end_ms: float) -> tuple[Span, ...]:
        """The silences between the voiced runs inside the turn; runs before it are forgotten."""
        runs = [run for run in self._voiced if run[1] > start_ms and run[0] < end_ms]
        self._voiced = [run for run in self._voiced if run[1] > end_ms]
        pairs = pairwise(runs)
        return tuple((left[1], right[0]) for left, right in pairs if right[0] > left[1] and right[0] < end_ms)
