"""A council on a seat that has no batch: one reply after the other, and what it cannot do is said."""

from __future__ import annotations

import pytest

from stages.contract import Message
from stages.council.council import Ask
from stages.council.deciding.candidate import Candidate
from stages.council.one_by_one import SeatCouncil
from stages.council.sample import Sampling
from stages.errors import Aborted, EnvironmentFault
from stages.fakes import FakeSeat

MESSAGES = [Message(role="user", content="Open?")]
WRITES = Ask("far", "far 1", MESSAGES, Sampling(8))


def test_replies_come_in_turn_and_a_fault_is_one_candidate() -> None:
    seat = FakeSeat(["It is open.", EnvironmentFault("remote.lost", "It broke off."), "Nine."])
    given = Ask("far", "far 4", MESSAGES, Sampling(8), "Yes.", fit=1.5)
    made = [one for _, one in SeatCouncil(seat).answer([WRITES, WRITES, WRITES, given])]
    assert made == [
        Candidate("It is open.", seat="far 1"),
        Candidate("", seat="far 1", fault="It broke off."),
        Candidate("Nine.", seat="far 1"),
        Candidate("Yes.", (), "far 4", "this member cannot score a given reply", 1.5),
    ]


def test_a_pause_that_raises_stops_it_between_two_words() -> None:
    words = []

    def between() -> None:
        words.append(1)
        if len(words) == 2:
            raise Aborted

    with pytest.raises(Aborted):
        list(SeatCouncil(FakeSeat(["one two three"])).answer([WRITES], between=between))
    assert len(words) == 2
