"""Which turns of a running call are finished, so that they can be written down at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from latency_budget.exchange import CallerTurn, Exchange


def settled(turns: Sequence[CallerTurn], exchanges: Sequence[Exchange], now_ms: float) -> int:
    """How many leading turns have outcomes that nothing after ``now_ms`` can change.

    A turn is settled when the next labelled one has begun and no exchange that happened before that is still
    going on. The last turn of a call is settled only by the call's end, so it is never counted here.
    ``exchanges`` holds the running ones too, with ``done`` False.
    """
    earliest = min((exchange.at_ms for exchange in exchanges if not exchange.done), default=math.inf)
    count = 0
    for _, following in pairwise(turns):
        if following.start_ms > now_ms or earliest < following.start_ms:
            break
        count += 1
    return count
