"""A reply that is aborted lets go of its seat at once, whoever still holds the exception."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

import pytest

from agent.compute import Grant
from agent.controller.seats import SeatPlan, run_seat
from stages.contract import Abort, Message, Piece, never
from stages.errors import Aborted
from stages.fakes import FakeSeat


class HoldingSeat(FakeSeat):
    """Notes when a reply lets go of it."""

    held = False

    def reply(
        self, messages: Sequence[Message], *, max_tokens: int, temperature: float = 0.0, abort: Abort = never
    ) -> Iterator[Piece]:
        self.held = True
        try:
            for word in ("one ", "two ", "three "):
                yield Piece(word, 1)
        finally:
            self.held = False


class AbortedGrant:
    def aborted(self) -> bool:
        return False

    def checkpoint(self) -> None:
        raise Aborted


def test_an_aborted_reply_lets_go_of_its_seat_before_the_next_one_begins() -> None:
    seat = HoldingSeat(["one two three"])
    plan = SeatPlan("fast", seat, 1, 40, 0.0)
    with pytest.raises(Aborted) as kept:
        run_seat(plan, cast(Grant, AbortedGrant()), [], lambda piece: None)
    assert kept.value.__traceback__ is not None
    assert not seat.held
