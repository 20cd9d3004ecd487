"""A council on any seat that writes: a server, say. One reply after the other, since it has no batch of ours."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence

from stages.contract import Abort, Message, Seat, never
from stages.council.council import Answer, Ask
from stages.council.deciding.candidate import Candidate
from stages.errors import StageError


class SeatCouncil:
    """The seats of one member that is asked over its :class:`~stages.contract.Seat`. One thread at a time."""

    def __init__(self, seat: Seat) -> None:
        self._seat = seat

    def read_ahead(
        self,
        messages: Sequence[Message],
        *,
        abort: Abort = never,
        between: Callable[[], object] | None = None,
    ) -> None:
        """What the seat does of it: a server's connection is opened. Raises Aborted."""
        self._seat.prefill(messages, abort=abort)

    def answer(
        self, asks: Sequence[Ask], *, abort: Abort = never, between: Callable[[], object] | None = None
    ) -> Iterator[Answer]:
        """Each ask's candidate in turn; one that fails is a candidate with its ``fault``. Raises Aborted."""
        for at, ask in enumerate(asks):
            if ask.reply is not None:
                yield (
                    at,
                    Candidate(ask.reply, (), ask.seat, "this member cannot score a given reply", ask.fit),
                )
                continue
            try:
                text = self._write(ask, abort, between)
            except StageError as fault:
                yield at, Candidate("", seat=ask.seat, fault=str(fault))
            else:
                found = tuple(getattr(self._seat, "last_logprobs", ()))
                yield at, Candidate(text.strip(), found, ask.seat, fit=ask.fit)

    def _write(self, ask: Ask, abort: Abort, between: Callable[[], object] | None) -> str:
        how, text = ask.sampling, ""
        pieces = self._seat.reply(
            ask.messages, max_tokens=how.max_tokens, temperature=how.temperature, abort=abort
        )
        try:
            for piece in pieces:
                text += piece.text
                if between is not None:
                    between()
        finally:
            if isinstance(pieces, Generator):
                pieces.close()
        return text
