"""Which turns of a running call are finished, so that they can be written down at once."""

from __future__ import annotations

import math
from collections.abc import Sequence

from latency_budget.exchange import CallerTurn, Exchange


def settled(turns: Sequence[CallerTurn], exchanges: Sequence[Exchange], now_ms: float) -> int:
    """How many leading turns have outcomes that nothing after ``now_ms`` can change.

    A turn is settled when its answer is done, or when the next labelled turn has begun; in both cases nothing that
    happened before that may still be going on. Without an answer, the last turn of a call is settled only by the
    call's end. ``exchanges`` holds the running ones too, with ``done`` False.
    """
    running_since = min((exchange.at_ms for exchange in exchanges if not exchange.done), default=math.inf)
    starts = [turn.start_ms for turn in turns] + [math.inf]
    for count, (turn, next_start) in enumerate(zip(turns, starts[1:], strict=True)):
        known_until = min(next_start, _answered_ms(turn, exchanges))
        if known_until > now_ms or running_since <= known_until:
            return count
    return len(turns)


def _answered_ms(turn: CallerTurn, exchanges: Sequence[Exchange]) -> float:
    """When the first reply to ``turn`` was heard after it; infinity if none was."""
    heard = (
        exchange.at_ms
        for exchange in exchanges
        if exchange.audible and exchange.turn_end_ms >= turn.start_ms and exchange.at_ms >= turn.end_ms
    )
    return min(heard, default=math.inf)
