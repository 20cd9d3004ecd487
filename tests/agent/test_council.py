"""Candidates come as they are ready, the missing ones are late at the deadline, and whoever leaves stops the work."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence

import pytest

from agent.compute import Compute
from agent.council import LATE, Council, Member
from stages.contract import Abort, Message
from stages.council.council import Answer, Ask
from stages.council.deciding.candidate import Candidate, Decision
from stages.council.deciding.vote import vote
from stages.council.sample import Sampling
from stages.errors import Aborted, EnvironmentFault

SAFE = "Somebody will call you back."


class Scripted:
    """A member that says what it is told; a text of "hang" waits for the abort."""

    def __init__(self, *said: str | Exception) -> None:
        self.said, self.stopped, self.read = said, threading.Event(), list[list[Message]]()

    def answer(
        self, asks: Sequence[Ask], *, abort: Abort, between: Callable[[], object] | None
    ) -> Iterator[Answer]:
        for at, text in enumerate(self.said):
            if isinstance(text, Exception):
                raise text
            while text == "hang":
                if abort():
                    self.stopped.set()
                    raise Aborted
            yield at, Candidate(text, (-0.1,), asks[at].seat)

    def read_ahead(
        self, messages: Sequence[Message], *, abort: Abort, between: Callable[[], object] | None
    ) -> None:
        self.read.append(list(messages))


@pytest.fixture
async def compute():  # type: ignore[no-untyped-def]
    made = Compute(cores=2, nice=0)
    yield made
    made.close()


def council(compute: Compute, **members: Scripted) -> Council:
    def asks(question: str, history: Sequence[Message]) -> list[Ask]:
        messages = [*history, Message(role="user", content=question)]
        return [
            Ask(name, f"{name} {at}", messages, Sampling(8))
            for name, member in members.items()
            for at, _ in enumerate(member.said)
        ]

    def decide(question: str, history: Sequence[Message], candidates: Sequence[Candidate]) -> Decision:
        return vote(candidates, [question], SAFE)

    plans = {name: Member(member, 1) for name, member in members.items()}
    return Council(
        plans, lambda history: [Message(role="system", content="S"), *history], asks, decide, compute
    )


async def test_each_seat_gives_one_candidate_and_the_late_ones_are_named(compute: Compute) -> None:
    slow = Scripted("hang", "never")
    made = council(compute, quick=Scripted("It is open.", "It is."), slow=slow)
    found = [one async for one in made.answer("Open?", within_ms=60.0)]
    assert [(one.seat, one.text) for one in found[:2]] == [("quick 0", "It is open."), ("quick 1", "It is.")]
    assert found[2:] == [Candidate("", seat="slow 0", fault=LATE), Candidate("", seat="slow 1", fault=LATE)]
    assert slow.stopped.wait(5.0)
    decision = made.decide("Open?", (), found)
    assert decision.text in ("It is open.", "It is.")
    assert [one.reason for one in decision.left_out] == [LATE, LATE]


async def test_a_member_that_fails_at_once_does_not_delay_the_rest(compute: Compute) -> None:
    broken = Scripted("One.", EnvironmentFault("remote.lost", "The server broke off."))
    broken.said += ("unreached",)
    made = council(compute, broken=broken, good=Scripted("It is open."))
    found = {one.seat: one async for one in made.answer("Open?", within_ms=5000.0)}
    assert found["good 0"].text == "It is open."
    assert found["broken 0"].text == "One."
    assert found["broken 1"].fault == found["broken 2"].fault == "The server broke off."


async def test_whoever_stops_listening_stops_the_work(compute: Compute) -> None:
    slow = Scripted("It is open.", "hang")
    made = council(compute, slow=slow)
    stream = made.answer("Open?", within_ms=60_000.0)
    assert (await anext(stream)).text == "It is open."
    await stream.aclose()  # type: ignore[attr-defined]
    assert await asyncio.to_thread(slow.stopped.wait, 5.0)


async def test_no_candidate_is_the_safe_sentence(compute: Compute) -> None:
    made = council(compute, slow=Scripted("hang"))
    found = [one async for one in made.answer("Open?", within_ms=0.0)]
    assert made.decide("Open?", (), found).text == SAFE


async def test_every_member_reads_the_conversation_ahead(compute: Compute) -> None:
    one, two = Scripted(), Scripted()
    history = [Message(role="user", content="Hello.")]
    for job in council(compute, one=one, two=two).read_ahead(history):
        await job.done
    assert one.read == two.read == [[Message(role="system", content="S"), *history]]
