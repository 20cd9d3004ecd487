"""The accurate path: several seats answer one question at the same time, until a deadline, and one answer is chosen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from agent.compute import Compute, Grant, Job, Priority
from stages.contract import Abort, Message
from stages.council.council import Answer, Ask
from stages.council.deciding.candidate import Candidate, Decision

LATE = "late"
"""The fault of a candidate that was not there at the deadline."""


class Answers(Protocol):
    """What one set of weights, or one server, does for a council."""

    def answer(
        self, asks: Sequence[Ask], *, abort: Abort, between: Callable[[], object] | None
    ) -> Iterator[Answer]:
        """Each ask's candidate as soon as it is there. Raises Aborted."""
        ...

    def read_ahead(
        self, messages: Sequence[Message], *, abort: Abort, between: Callable[[], object] | None
    ) -> None:
        """Have what stands before the question in the cache. Raises Aborted."""
        ...


@dataclass(frozen=True, slots=True)
class Member:
    """One member: who answers, and how many cores that keeps busy."""

    answers: Answers
    threads: int


_Ready = asyncio.Queue[tuple[int, Candidate]]


class Council:
    """Asks the seats and decides. Several questions at a time wait for each other member by member."""

    def __init__(
        self,
        members: Mapping[str, Member],
        opening: Callable[[Sequence[Message]], list[Message]],
        asks: Callable[[str, Sequence[Message]], list[Ask]],
        decide: Callable[[str, Sequence[Message], Sequence[Candidate]], Decision],
        compute: Compute,
    ) -> None:
        """``asks`` makes each seat's prompt of a question and the lines before it, which begins with ``opening`` of
        these lines; ``decide`` picks an answer."""
        self._members, self._compute = members, compute
        self._opening, self._asks, self._decide = opening, asks, decide

    def read_ahead(self, history: Sequence[Message] = ()) -> list[Job[None]]:
        """Have every member read the conversation so far, before the caller asks. Abort the jobs to stop it."""
        messages = self._opening(history)

        def reading(plan: Member) -> Callable[[Grant], None]:
            return lambda grant: plan.answers.read_ahead(
                messages, abort=grant.aborted, between=grant.checkpoint
            )

        return [
            self._compute.submit(
                Priority.PREFILL, reading(plan), threads=plan.threads, resource=f"council:{name}"
            )
            for name, plan in self._members.items()
        ]

    async def answer(
        self,
        question: str,
        history: Sequence[Message] = (),
        *,
        within_ms: float,
        priority: Priority = Priority.COUNCIL,
    ) -> AsyncGenerator[Candidate]:
        """One candidate for each seat, as soon as it is there; what is missing ``within_ms`` from now has a fault.

        Leave the loop, or close the iterator, to stop the work: each member ends within a step of its own.
        """
        loop = asyncio.get_running_loop()
        ends = loop.time() + within_ms / 1000.0
        asks, ready = self._asks(question, history), _Ready()
        missing = dict(enumerate(asks))
        jobs = [self._submit(member, asks, ready, priority) for member in {ask.member: None for ask in asks}]
        try:
            while missing:
                try:
                    at, candidate = await asyncio.wait_for(ready.get(), max(0.0, ends - loop.time()))
                except TimeoutError:
                    break
                if missing.pop(at, None) is not None:
                    yield candidate
            for ask in missing.values():
                yield Candidate("", seat=ask.seat, fault=LATE)
        finally:
            for job in jobs:
                job.abort()

    def decide(self, question: str, history: Sequence[Message], candidates: Sequence[Candidate]) -> Decision:
        """The answer to speak of those that came; the persona's safe sentence where none may be spoken."""
        return self._decide(question, history, candidates)

    def _submit(self, member: str, asks: Sequence[Ask], ready: _Ready, priority: Priority) -> Job[None]:
        loop, plan = asyncio.get_running_loop(), self._members[member]
        mine = [(at, ask) for at, ask in enumerate(asks) if ask.member == member]

        def work(grant: Grant) -> None:
            made = plan.answers.answer(
                [ask for _, ask in mine], abort=grant.aborted, between=grant.checkpoint
            )
            for at, candidate in made:
                loop.call_soon_threadsafe(ready.put_nowait, (mine[at][0], candidate))

        def ended(done: asyncio.Future[None]) -> None:
            fault = done.exception()
            for at, ask in mine:  # those that are there already are no longer waited for
                ready.put_nowait((at, Candidate("", seat=ask.seat, fault=str(fault) or "stopped")))

        job = self._compute.submit(priority, work, threads=plan.threads, resource=f"council:{member}")
        job.done.add_done_callback(ended)
        return job
