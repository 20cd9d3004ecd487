"""Several answers from one set of weights in one batch, each given as it is ready. The fast seat goes before them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from stages.contract import Abort, Message, never
from stages.council.branch import Branch
from stages.council.deciding.candidate import Candidate
from stages.council.engine import Engine
from stages.council.sample import Sampling
from stages.errors import Aborted, StageError

RANK = 1
"""Behind the fast lane. Not meant for two at a time on one engine: the second would wait for the first's prompt."""

Answer = tuple[int, Candidate]
"""The place of an :class:`Ask` among those asked, and what came of it."""


@dataclass(frozen=True, slots=True)
class Ask:
    """What one seat is asked: to write a reply, or, where ``reply`` is given, how likely that one is.

    ``member`` names the weights that it runs on; ``fit`` is passed on to the candidate.
    """

    member: str
    seat: str
    messages: Sequence[Message]
    sampling: Sampling
    reply: str | None = None
    fit: float = 0.0


class EngineCouncil:
    """The seats of one engine. Its ``answer`` may run beside the replies of a :class:`LlamaSeat` on that engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._kept: Branch | None = None

    def read_ahead(
        self,
        messages: Sequence[Message],
        *,
        abort: Abort = never,
        between: Callable[[], object] | None = None,
    ) -> None:
        """Have ``messages``, without the question that will follow, in the cache. Raises as ``answer``.

        One sequence is kept for it; what was read before an abort stays.
        """
        engine = self._engine
        with engine.gate.hold(RANK, between):
            prompt = engine.prompt([*messages, Message(role="user", content="")])
            if self._kept is None or self._kept.gone:
                self._kept = engine.open((), rank=RANK)
            kept = self._kept
            engine.turn_to(kept, prompt)
        while kept.todo and not kept.gone:
            self._step(abort, between)

    def answer(
        self, asks: Sequence[Ask], *, abort: Abort = never, between: Callable[[], object] | None = None
    ) -> Iterator[Answer]:
        """Each ask's candidate as soon as it is there; one that fails is a candidate with its ``fault``.

        Within a step the work stops for the fast lane and goes on behind it; ``between`` is called while it waits and
        between steps, and may raise. Raises Aborted. However it ends, no sequence stays behind.
        """
        open_: dict[int, Branch] = {}
        try:
            for at, ask in enumerate(asks):
                try:
                    open_[at] = self._open(ask, between)
                except StageError as fault:
                    yield at, Candidate("", seat=ask.seat, fault=str(fault))
            while open_:
                self._step(abort, between)
                for at, branch in list(open_.items()):
                    if branch.over is not None:
                        del open_[at]
                        yield at, self._finish(asks[at], branch, between)
        finally:
            with self._engine.gate.hold(RANK):
                for branch in open_.values():
                    self._engine.leave(branch)

    def _open(self, ask: Ask, between: Callable[[], object] | None) -> Branch:
        engine = self._engine
        with engine.gate.hold(RANK, between):
            prompt = engine.prompt(ask.messages)
            if ask.reply is None:
                return engine.open(prompt, ask.sampling, rank=RANK)
            return engine.score(prompt, engine.weights.reply_tokens(ask.reply), rank=RANK)

    def _step(self, abort: Abort, between: Callable[[], object] | None) -> None:
        engine, stopped = self._engine, False

        def stop() -> bool:
            nonlocal stopped
            stopped = abort()
            return stopped or engine.gate.outranked(RANK)

        if between is not None:
            between()
        with engine.gate.hold(RANK, between):
            try:
                engine.step(stop, rank=RANK)
            except Aborted:
                if stopped:
                    raise  # else the fast lane came in between: the step is done again behind it

    def _finish(self, ask: Ask, branch: Branch, between: Callable[[], object] | None) -> Candidate:
        with self._engine.gate.hold(RANK, between):
            self._engine.leave(branch)
        if branch.over == "left":
            return Candidate("", seat=ask.seat, fault="its tokens went to a more urgent reply")
        if branch.scorer is not None:
            return Candidate(ask.reply or "", tuple(branch.scorer.logprobs), ask.seat, fit=ask.fit)
        assert branch.writer is not None
        return Candidate(branch.text.strip(), tuple(branch.writer.logprobs), ask.seat, fit=ask.fit)
