"""The language models that may answer, and how each is asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Protocol

from agent.compute import Compute, Grant, Job, Priority
from stages.contract import Message, Piece, Seat
from stages.council.clean import ThinkingFilter
from stages.council.deciding.candidate import Candidate, Decision
from stages.tts.pieces import PieceSplitter

QUIET_S = 0.7
"""A seat that gives nothing for this long is not waited for with half a sentence in hand."""

_QUIET = Piece("", 0)


@dataclass(frozen=True, slots=True)
class SeatPlan:
    """One seat and how it is asked. ``name`` is also the resource that serialises its use.

    Attributes:
        remote: it runs on other cores than ours.
        price: what one reply costs; None: the CPU seconds that it is predicted to take.
    """

    name: str
    seat: Seat
    threads: int
    max_tokens: int
    temperature: float
    remote: bool = False
    price: float | None = None

    @property
    def cores(self) -> int:
        """How many of our cores it keeps busy."""
        return 0 if self.remote else self.threads


class Consulted(Protocol):
    """What a council does for a reply; see :class:`agent.council.Council`."""

    def answer(
        self, question: str, history: Sequence[Message] = (), *, within_ms: float
    ) -> AsyncGenerator[Candidate]:
        """One candidate for each seat, as soon as it is there."""
        ...

    def decide(self, question: str, history: Sequence[Message], candidates: Sequence[Candidate]) -> Decision:
        """The one to speak."""
        ...

    def read_ahead(self, history: Sequence[Message] = ()) -> list[Job[None]]:
        """Read the conversation so far."""
        ...


@dataclass(frozen=True, slots=True)
class CouncilPlan:
    """The council, how many of our cores it keeps busy, and what one question costs; None: its CPU seconds."""

    council: Consulted
    cores: int
    price: float | None = None


class Writing:
    """One seat writing one reply: text comes out in pieces that can be spoken."""

    def __init__(
        self, plan: SeatPlan, compute: Compute, messages: Sequence[Message], splitter: PieceSplitter
    ) -> None:
        self._plan, self._messages, self._splitter = plan, list(messages), splitter
        self._text: asyncio.Queue[Piece | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._started: Callable[[], None] = lambda: None
        self.job: Job[None] = compute.submit(
            Priority.MODEL, self._work, threads=plan.cores, resource=plan.name
        )
        self.job.done.add_done_callback(lambda _: self._text.put_nowait(None))

    def on_start(self, call: Callable[[], None]) -> None:
        """Have ``call`` made when the seat got the cores."""
        self._started = call

    async def texts(self) -> AsyncIterator[tuple[list[str], int]]:
        """What can be spoken, and how many tokens were written for it. Raises Aborted, StageError."""
        splitter, thinking, tokens = self._splitter, ThinkingFilter(), 0
        while (piece := await _next(self._text)) is not None:
            tokens += piece.tokens
            # A seat that went quiet in mid-sentence: what is there is said.
            ready = splitter.feed(thinking.feed(piece.text)) if piece is not _QUIET else splitter.flush()
            if ready or piece.tokens:
                yield ready, piece.tokens
        await self.job.done
        # A reply at its limit ends with its last whole clause or word.
        whole = tokens < self._plan.max_tokens
        yield splitter.feed(thinking.finish()) + (splitter.finish() if whole else splitter.flush()), 0

    def rest(self) -> list[str]:
        """What is left of a reply that broke off."""
        return self._splitter.flush()

    def _work(self, grant: Grant) -> None:
        self._loop.call_soon_threadsafe(lambda: self._started())
        run_seat(
            self._plan,
            grant,
            self._messages,
            lambda piece: self._loop.call_soon_threadsafe(self._text.put_nowait, piece),
        )


def run_seat(plan: SeatPlan, grant: Grant, messages: list[Message], put: Callable[[Piece], object]) -> None:
    """Let the seat write, in the compute owner's thread."""
    pieces = plan.seat.reply(
        messages, max_tokens=plan.max_tokens, temperature=plan.temperature, abort=grant.aborted
    )
    try:
        for piece in pieces:
            put(piece)
            grant.checkpoint()
    finally:
        # Closed here and now: an abort's traceback would keep the generator alive, and its clean-up would then
        # stop the seat in the middle of the next reply (seen: replies that ended after three words).
        if isinstance(pieces, Generator):
            pieces.close()


async def _next(text: asyncio.Queue[Piece | None]) -> Piece | None:
    """The next piece; ``_QUIET`` when none came for a while; None at the end."""
    try:
        return await asyncio.wait_for(text.get(), QUIET_S)
    except TimeoutError:
        return _QUIET
