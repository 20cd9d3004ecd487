"""What became of each labelled turn: matches the agent's exchanges to the caller's turns.

A turn's *window* runs from its ``start_ms`` to the start of the next labelled turn; the last one is
open-ended. An exchange belongs to the window in which it **became audible** (its first audible sample). By
case:

1. Audible after the turn's end, committed after the turn's start: the first such exchange is the turn's
   **answer**.
2. The same, but the turn has an answer already (a reply to a noise, a second reply): ``unmatched``,
   "already_answered".
3. Audible after the turn's end, but committed before the turn began: it answers older words, so it is no
   answer to this turn and gives it no latency: ``unmatched``, "stale". The older turn is overtaken.
4. Became audible in [start, end) of the turn, holds included: a **cut-in** into this turn, whosever words it
   answers: a commit made inside the turn (too early), or one made before it (a reply that came so late that
   the caller spoke again).
5. Became audible before the turn began and still plays in it: no cut-in. The turn that it answers is
   **interrupted**.
6. Became audible before the first labelled turn: ``unmatched``, "no_turn".
7. Never audible: it explains the turn in whose window it was committed if that turn has nothing better
   (``silent``), else it is ``unmatched``, "silent".

A cut-in that was committed inside the turn and can still be heard after its end, where no answer follows, is
the turn's reply: the turn is not missed, but it has no latency (``v2v`` None), since the agent did not wait
for its end. Every labelled turn gives exactly one outcome, and every exchange stands exactly once in an
outcome or in ``unmatched``.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from latency_budget.exchange import CallerTurn, Exchange
from latency_budget.ledger import Ledger, ledger
from latency_budget.marks import Mark, MarkOrderError, TurnMarks

MISSED_AFTER_MS = 2000.0
"""A turn is missed when nothing is heard for this long after it."""

DAMAGING_OVERLAP_MS = 150.0
"""A cut-in that talks over the caller for longer than this is damaging."""

STALL_MS = 250.0
"""A silence inside a reply that is longer than this is a stall."""

Reason = Literal["no_turn", "already_answered", "stale", "silent"]


@dataclass(frozen=True, slots=True)
class CutIn:
    """The agent became audible at ``at_ms``, inside a labelled turn, and talked over the caller for
    ``overlap_ms``.
    """

    exchange: Exchange
    at_ms: float
    overlap_ms: float

    @property
    def damaging(self) -> bool:
        """Whether the caller was talked over for long, or words were lost."""
        return self.overlap_ms > DAMAGING_OVERLAP_MS or self.exchange.words_lost


@dataclass(frozen=True, slots=True)
class Unmatched:
    """An exchange that is no part of any turn's outcome, and why."""

    exchange: Exchange
    reason: Reason


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one labelled turn.

    Attributes:
        turn: the labelled turn.
        answer: the exchange that answered it after its end, if one did.
        cut_ins: the exchanges that became audible inside it.
        silent: commits for this turn of which nothing was heard; only where nothing else explains the turn.
        wait_ms: from its end until the agent was audible or the caller spoke again; infinity if neither.
        missed: that took more than 2000 ms.
        overtaken: the caller spoke again before any reply was audible.
        interrupted: the caller spoke over the reply, or the agent took something for that and stopped.
        stalls_ms: the silences of more than 250 ms inside the reply.
        marks: label marks and those of the reply; None if they are in an impossible order (see ``fault``).
        numbers: the derived latencies; None if ``marks`` is.
        fault: the impossible order. The turn stays listed, without latency.
    """

    turn: CallerTurn
    answer: Exchange | None
    cut_ins: tuple[CutIn, ...]
    silent: tuple[Exchange, ...]
    wait_ms: float
    missed: bool
    overtaken: bool
    interrupted: bool
    stalls_ms: tuple[float, ...]
    marks: TurnMarks | None
    numbers: Ledger | None
    fault: MarkOrderError | None

    @property
    def source(self) -> Exchange | None:
        """The exchange that the row's words come from: the answer, else this turn's last cut-in or silent
        commit.
        """
        return _source(self.turn, self.answer, self.cut_ins, self.silent)

    @property
    def damaging(self) -> bool:
        """Whether any cut-in of this turn did damage."""
        return any(cut_in.damaging for cut_in in self.cut_ins)


@dataclass(frozen=True, slots=True)
class Matching:
    """All outcomes, one a labelled turn and in their order, and the exchanges that belong to none."""

    outcomes: tuple[Outcome, ...]
    unmatched: tuple[Unmatched, ...]


@dataclass(slots=True)
class _Window:
    """What was found for one turn so far."""

    turn: CallerTurn
    next_start_ms: float
    answer: Exchange | None = None
    cut_ins: list[CutIn] = field(default_factory=list)
    silent: list[Exchange] = field(default_factory=list)


def match(turns: Sequence[CallerTurn], exchanges: Sequence[Exchange]) -> Matching:
    """Match what the agent did to what the caller said.

    Raises:
        ValueError: turns overlap or are out of order, or two exchanges share an id.
    """
    _check(turns, exchanges)
    ends = [turn.start_ms for turn in turns[1:]] + [math.inf]
    windows = [_Window(turn, end) for turn, end in zip(turns, ends, strict=False)]
    starts = [turn.start_ms for turn in turns]
    unmatched: list[Unmatched] = []
    for exchange in sorted(exchanges, key=lambda one: one.at_ms):
        index = bisect.bisect_right(starts, exchange.at_ms) - 1
        reason = _place(exchange, windows[index]) if index >= 0 else "no_turn"
        if reason is not None:
            unmatched.append(Unmatched(exchange, reason))
    for window in windows:
        if window.answer or _own(window.turn, window.cut_ins):
            unmatched += [Unmatched(exchange, "silent") for exchange in window.silent]
            window.silent = []
    unmatched.sort(key=lambda one: one.exchange.at_ms)
    return Matching(tuple(_outcome(window) for window in windows), tuple(unmatched))


def _check(turns: Sequence[CallerTurn], exchanges: Sequence[Exchange]) -> None:
    for before, after in pairwise(turns):
        if after.start_ms < before.end_ms:
            raise ValueError(f"caller turns {before.index} and {after.index} overlap or run backwards")
    if len({exchange.id for exchange in exchanges}) != len(exchanges):
        raise ValueError("two exchanges share an id")


def _place(exchange: Exchange, window: _Window) -> Reason | None:
    """Put an exchange into its window, or say why it does not belong there."""
    at_ms = exchange.first_audio_ms
    if at_ms is None:
        window.silent.append(exchange)
    elif at_ms < window.turn.end_ms:
        window.cut_ins.append(CutIn(exchange, at_ms, exchange.overlap_ms(window.turn)))
    elif exchange.turn_end_ms < window.turn.start_ms:
        return "stale"
    elif window.answer is not None:
        return "already_answered"
    else:
        window.answer = exchange
    return None


def _source(
    turn: CallerTurn, answer: Exchange | None, cut_ins: Sequence[CutIn], silent: Sequence[Exchange]
) -> Exchange | None:
    if answer is not None:
        return answer
    own = _own(turn, cut_ins) or silent
    return own[-1] if own else None


def _own(turn: CallerTurn, cut_ins: Sequence[CutIn]) -> Sequence[Exchange]:
    """The cut-ins that answer this turn's own words, not older ones."""
    return [cut_in.exchange for cut_in in cut_ins if cut_in.exchange.turn_end_ms >= turn.start_ms]


def _outcome(window: _Window) -> Outcome:
    turn, source = window.turn, _source(window.turn, window.answer, window.cut_ins, window.silent)
    heard_after = math.inf if source is None else _heard_after(source, turn.end_ms)
    overtaken = window.next_start_ms < math.inf and window.next_start_ms <= heard_after
    wait_ms = min(window.next_start_ms, heard_after) - turn.end_ms
    marks, fault = _marks(turn, source)
    return Outcome(
        turn=turn,
        answer=window.answer,
        cut_ins=tuple(window.cut_ins),
        silent=tuple(window.silent),
        wait_ms=wait_ms,
        missed=wait_ms > MISSED_AFTER_MS,
        overtaken=overtaken,
        interrupted=source is not None and _interrupted(source, window.next_start_ms),
        stalls_ms=() if source is None else _stalls(source),
        marks=marks,
        numbers=None if marks is None else ledger(marks),
        fault=fault,
    )


def _heard_after(exchange: Exchange, end_ms: float) -> float:
    """When the exchange is first audible at or after ``end_ms``; infinity if never."""
    return next((max(start, end_ms) for start, stop in exchange.audible if stop > end_ms), math.inf)


def _interrupted(exchange: Exchange, next_start_ms: float) -> bool:
    end_ms = exchange.reply_end_ms
    return end_ms is not None and (exchange.interrupted_at_ms is not None or end_ms > next_start_ms)


def _stalls(exchange: Exchange) -> tuple[float, ...]:
    gaps = (after[0] - before[1] for before, after in pairwise(exchange.audible))
    return tuple(gap for gap in gaps if gap > STALL_MS)


def _marks(turn: CallerTurn, source: Exchange | None) -> tuple[TurnMarks | None, MarkOrderError | None]:
    values = {Mark.SPEECH_START: turn.start_ms, Mark.SPEECH_END: turn.end_ms}
    if source is not None:
        values |= source.marks
        if source.first_audio_ms is not None and source.reply_end_ms is not None:
            values |= {Mark.FIRST_AUDIO: source.first_audio_ms, Mark.REPLY_END: source.reply_end_ms}
    try:
        return TurnMarks(turn.index, values, bridged=source is not None and source.bridge is not None), None
    except MarkOrderError as error:
        return None, error
