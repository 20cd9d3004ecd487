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
from stages.council.sample import Sampling
from stages.council.weights import Weights
from stages.council.writer import Writer
from stages.errors import InputError

Event = tuple[Branch, Piece]


class Engine:
    """One model with all its sequences. Not thread safe: its owner serialises the calls.

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
        try:
            leader, length = self._best_leader(branch, prompt)
            branch.prompt_tokens, branch.todo = len(prompt), list(prompt)
            if leader is not None and length > len(self.cache.tokens(leader.sequence)):
                branch.leader, branch.shared = leader, length
            elif leader is not None:
                self._take_over(branch, leader, min(length, len(prompt) - 1))
            if sampling is not None:
                branch.writer = Writer(self.weights.vocab, sampling)
            self._make_room(branch, branch.reserved - branch.shared)
        except BaseException:
            self.cache.give(branch.sequence)
            raise
        self.live.append(branch)
        return branch

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

    def step(self, abort: Abort = never) -> list[Event]:
        """One batch for all live sequences of the lowest rank that has work; the text that came of it.

        Raises Aborted, also in the middle of a long prompt, with every sequence as it was before the step.
        """
        working = [branch for branch in self.live if branch.works]
        if not working:
            return []
        rank = min(branch.rank for branch in working)
        working = [branch for branch in working if branch.rank == rank]
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
            if stretch.wanted:
                wanted[branch] = rows[branch.sequence]
        self._feed_followers(wanted)
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
                batch.append((branch, Stretch(branch.sequence, start, tokens, whole)))
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
            branch.writer = None
        branch.todo, branch.leader, branch.shared = [], None, 0
        self._release_followers(branch)

    def _remember(self, branch: Branch) -> None:
        assert branch.writer is not None
        self.weights.replies.remember(branch.writer.tokens, branch.writer.pieces)

    # -- shared prefixes ----------------------------------------------------------------------------------------------

    def _best_leader(self, branch: Branch, prompt: Sequence[int]) -> tuple[Branch | None, int]:
        """Who shares most of ``prompt``, with what is still to be read where that one is as urgent."""
        best: tuple[Branch | None, int] = (None, 0)
        for other in self.live:
            coming = list(self.cache.tokens(other.sequence))
            if other.rank <= branch.rank and other.leader is None:
                coming += other.todo
            length = common_prefix(coming, prompt)
            if length > best[1]:
                best = (other, length)
        return best

    def _take_over(self, branch: Branch, leader: Branch, length: int) -> None:
        have = self.cache.share(leader.sequence, branch.sequence, length)
        branch.reused_tokens = have
        del branch.todo[:have]
        branch.leader, branch.shared = None, 0

    def _feed_followers(self, rows: dict[Branch, NDArray[np.float32]]) -> None:
        """Whoever waited for a prompt that is now read takes it over, with its logits where that is all they need."""
        for branch in self.live:
            leader = branch.leader
            if leader is None or len(self.cache.tokens(leader.sequence)) < branch.shared:
                continue
            whole = branch.shared == len(branch.todo) == len(self.cache.tokens(leader.sequence))
            row = rows.get(leader) if whole else None
            length = branch.shared if row is not None else min(branch.shared, len(branch.todo) - 1)
            self._take_over(branch, leader, length)
            if row is not None and not branch.todo:
                branch.logits = row.copy()

    def _release_followers(self, leader: Branch) -> None:
        """``leader`` reads no further: one of those who wait takes what there is, and leads the others."""
        held = len(self.cache.tokens(leader.sequence))
        waiting = sorted((b for b in self.live if b.leader is leader), key=lambda one: one.rank)
        if not waiting:
            return
        first = waiting[0]
        known = first.shared
        self._take_over(first, leader, min(held, known, len(first.todo) - 1))
        for branch in waiting[1:]:
            common = min(branch.shared, known)
            if common > held:
                branch.leader, branch.shared = first, common
            else:
                self._take_over(branch, leader, min(held, branch.shared, len(branch.todo) - 1))

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
