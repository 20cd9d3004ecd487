"""Several sequences on one set of weights: shared prefixes, one batch a step, and the urgent ones first.

Method: continuous batching (Yu et al., "Orca", 2022): sequences join and leave between two steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stages.contract import Abort, Message, Piece, never
from stages.council.branch import Branch
from stages.council.cache import Cache
from stages.council.config import SeatConfig
from stages.council.decoder import Decoder, Stretch
from stages.council.fit import common_prefix, fit
from stages.council.gate import Gate
from stages.council.prefixes import Prefixes
from stages.council.sample import Sampling
from stages.council.scorer import Scorer
from stages.council.weights import Weights
from stages.council.writer import Writer
from stages.errors import InputError

Event = tuple[Branch, Piece]


class Engine:
    """One model with all its sequences. Every call belongs inside ``gate.hold``, where several threads use it.

    ``llama_cpp.Llama`` is not used: it has one sequence, cannot be stopped inside a prompt, and copies its logits.
    """

    def __init__(self, path: Path | str, config: SeatConfig | None = None) -> None:
        """Load a GGUF file. Raises EnvironmentFault when it is missing, unreadable or too large."""
        self.config = config or SeatConfig()
        self.weights = Weights(Path(path), self.config)
        try:
            self._decoder = Decoder(self.weights, self.config)
        except BaseException:
            self.weights.close()
            raise
        self.cache = Cache(self._decoder.memory, self.config.sequences, self.config.cells)
        self.live: list[Branch] = []
        self.gate = Gate()
        self._prefixes = Prefixes(self.cache, self.live)

    @property
    def busy(self) -> bool:
        """Whether a step would do something."""
        return any(branch.works or branch.leader is not None for branch in self.live)

    def prompt(self, messages: Sequence[Message]) -> list[int]:
        """Tokens of ``messages`` up to where the reply begins, without the oldest turns where they do not fit.

        Raises InputError for messages that can never fit.
        """
        return self.weights.tokens(self._fitted(messages))

    def open_prompt(self, messages: Sequence[Message]) -> tuple[list[int], int]:
        """As ``prompt``, but the last message is left open; and the token that would close it."""
        return self.weights.open_tokens(self._fitted(messages))

    def open(self, prompt: Sequence[int], sampling: Sampling | None = None, *, rank: int = 0) -> Branch:
        """A new sequence that reads ``prompt`` and replies to it, or only reads while ``sampling`` is None.

        What a live sequence has, or is about to have, of the prompt is shared with it. Raises InputError when no
        sequence or no cells are left for it; replies of a higher rank make room first.
        """
        if sampling is not None and not prompt:
            raise InputError("seat.messages", "There is no prompt to answer.")
        branch = Branch(self.cache.take(), rank)
        if sampling is not None:
            branch.writer = Writer(self.weights.vocab, sampling)
        return self._join(branch, prompt)

    def score(self, prompt: Sequence[int], reply: Sequence[int], *, rank: int = 0) -> Branch:
        """A new sequence that reads ``prompt`` and a given ``reply`` to it: how likely is each of its tokens?

        ``branch.scorer`` has the answer. Raises as :meth:`open`.
        """
        if not prompt:
            raise InputError("seat.messages", "There is no prompt to answer.")
        branch = Branch(self.cache.take(), rank)
        branch.scorer = Scorer(len(prompt), reply, self.weights.vocab.eos)
        return self._join(branch, [*prompt, *reply])

    def turn_to(self, branch: Branch, prompt: Sequence[int]) -> int:
        """Let ``branch`` read ``prompt`` instead: rolled back to what they share. How many tokens that threw away."""
        self._end_writing(branch)
        held = len(self.cache.tokens(branch.sequence))
        keep = common_prefix(self.cache.tokens(branch.sequence), prompt)
        if keep == len(prompt) and not (branch.logits is not None and held == keep):
            keep -= 1  # the last token is read again for its logits
        if keep < held:
            branch.logits = None
        kept = self.cache.cut(branch.sequence, keep)
        branch.prompt_tokens, branch.reused_tokens = len(prompt), kept
        branch.todo = list(prompt[kept:])
        self._make_room(branch, len(branch.todo))
        return held - kept

    def start(self, branch: Branch, sampling: Sampling) -> None:
        """Let ``branch`` reply to the prompt that it was opened with or turned to."""
        self._make_room(branch, sampling.max_tokens)
        branch.writer = Writer(self.weights.vocab, sampling)

    def stop(self, branch: Branch) -> None:
        """End the reply of ``branch``, which keeps its tokens for the next prompt."""
        self._end_writing(branch)

    def leave(self, branch: Branch) -> None:
        """End ``branch``. Those who wait for its prompt go on with what there is of it. Twice is fine."""
        if branch.gone:
            return
        self._end_writing(branch, leaving=True)
        branch.gone = True
        self.live.remove(branch)
        self.cache.give(branch.sequence)

    def step(self, abort: Abort = never, *, rank: int | None = None) -> list[Event]:
        """One batch for all live sequences of the lowest rank that has work, or of ``rank``; the text that came of it.

        Raises Aborted, also in the middle of a long prompt, with every sequence as it was before the step.
        """
        working = [branch for branch in self.live if branch.works and rank in (None, branch.rank)]
        if not working:
            return []
        lowest = min(branch.rank for branch in working)
        working = [branch for branch in working if branch.rank == lowest]
        ready = [branch for branch in working if not branch.todo]
        if ready:
            return self._draw({branch: branch.logits for branch in ready if branch.logits is not None})
        return self._read(working, abort)

    def close(self) -> None:
        """Give the memory back. The engine cannot be used afterwards."""
        self._decoder.close()
        self.weights.close()

    def _fitted(self, messages: Sequence[Message]) -> list[Message]:
        tokens = self.weights.tokens
        return fit(messages, lambda some: len(tokens(some)), self.config.prompt_tokens)

    # -- one step -----------------------------------------------------------------------------------------------------

    def _read(self, working: list[Branch], abort: Abort) -> list[Event]:
        batch = self._plan(working)
        try:
            rows = self._decoder.read([stretch for _, stretch in batch], abort)
        except BaseException:
            for branch, _ in batch:
                self.cache.forget_unknown(branch.sequence)
            raise
        wanted: dict[Branch, NDArray[np.float32]] = {}
        for branch, stretch in batch:
            self.cache.added(branch.sequence, stretch.tokens)
            del branch.todo[: len(stretch.tokens)]
            branch.logits = None
            if branch.scorer is not None:
                branch.scorer.read(rows[branch.sequence])
            elif stretch.wanted:
                wanted[branch] = rows[branch.sequence][-1]
        self._prefixes.feed(wanted)
        for branch, row in wanted.items():
            if not branch.writes:
                branch.logits = row.copy()
        return self._draw({branch: row for branch, row in wanted.items() if branch.writes})

    def _plan(self, working: list[Branch]) -> list[tuple[Branch, Stretch]]:
        """What each branch reads in this step: single tokens first, prompts in what the batch has left."""
        room, batch = self.config.batch_tokens, list[tuple[Branch, Stretch]]()
        for branch in sorted(working, key=lambda one: len(one.todo)):
            tokens = branch.todo[:room]
            if tokens:
                start = len(self.cache.tokens(branch.sequence))
                whole = len(tokens) == len(branch.todo)
                wanted = branch.scorer.rows(start, len(tokens)) if branch.scorer else int(whole)
                batch.append((branch, Stretch(branch.sequence, start, tokens, wanted)))
                room -= len(tokens)
        return batch

    def _draw(self, rows: dict[Branch, NDArray[np.float32]]) -> list[Event]:
        events: list[Event] = []
        for branch, row in rows.items():
            assert branch.writer is not None
            token, piece = branch.writer.draw(row)
            branch.logits = None
            if token is None:
                self._remember(branch)
            else:
                branch.todo = [token]
            if piece is not None:
                events.append((branch, piece))
        return events

    def _end_writing(self, branch: Branch, *, leaving: bool = False) -> None:
        if branch.writes:
            assert branch.writer is not None
            branch.writer.leave()
            self._remember(branch)
        if not leaving:
            branch.writer = branch.scorer = None
        branch.todo, branch.leader, branch.shared = [], None, 0
        self._prefixes.release(branch)

    def _remember(self, branch: Branch) -> None:
        assert branch.writer is not None
        self.weights.replies.remember(branch.writer.tokens, branch.writer.pieces)

    def _join(self, branch: Branch, prompt: Sequence[int]) -> Branch:
        try:
            branch.prompt_tokens, branch.todo = len(prompt), list(prompt)
            self._prefixes.join(branch, prompt)
            self._make_room(branch, branch.reserved - branch.shared)
        except BaseException:
            self.cache.give(branch.sequence)
            raise
        self.live.append(branch)
        return branch

    # -- room ---------------------------------------------------------------------------------------------------------

    def _make_room(self, branch: Branch, needed: int) -> None:
        """Have ``needed`` free cells: replies of a higher rank are ended for it, the last first."""
        others = [other for other in reversed(self.live) if other is not branch]
        for other in sorted(others, key=lambda one: -one.rank):
            if self._free(branch) >= needed or other.rank <= branch.rank:
                break
            self.leave(other)
        if self._free(branch) < needed:
            raise InputError(
                "engine.full",
                f"The context has no {needed} tokens left for one more sequence.",
                "Raise n_ctx.",
            )

    def _free(self, branch: Branch) -> int:
        waiting = sum(other.reserved - other.shared for other in self.live if other is not branch)
        return self.cache.cells - self.cache.used - waiting
