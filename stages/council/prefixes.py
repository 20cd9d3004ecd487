"""Prompts that begin alike are read once: who follows whom, and who takes over what."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stages.council.branch import Branch
from stages.council.cache import Cache
from stages.council.fit import common_prefix


class Prefixes:
    """The sharing between the ``live`` branches of one engine. ``live`` is the engine's own list."""

    def __init__(self, cache: Cache, live: Sequence[Branch]) -> None:
        self._cache, self._live = cache, live

    def join(self, branch: Branch, prompt: Sequence[int]) -> None:
        """Let ``branch``, whose whole prompt is to be read, take what others have of it, or wait for it.

        Waited for is only a branch of the same rank: others may be stepped by somebody else, or not at all.
        """
        leader, length = self._best(branch, prompt)
        if leader is None:
            return
        most = len(prompt) - 1 if branch.scorer is None else branch.scorer.start
        length = length if branch.scorer is None else min(length, most)
        if length > len(self._held(leader)):
            branch.leader, branch.shared = leader, length
        else:
            self._take_over(branch, leader, min(length, most))

    def feed(self, rows: dict[Branch, NDArray[np.float32]]) -> None:
        """Whoever waited for a prompt that is now read takes it over, with its logits where that is all they need."""
        for branch in self._live:
            leader = branch.leader
            if leader is None or len(self._held(leader)) < branch.shared:
                continue
            whole = branch.shared == len(branch.todo) == len(self._held(leader))
            row = rows.get(leader) if whole else None
            length = branch.shared if row is not None else min(branch.shared, len(branch.todo) - 1)
            self._take_over(branch, leader, length)
            if row is not None and not branch.todo:
                branch.logits = row.copy()

    def release(self, leader: Branch) -> None:
        """``leader`` reads no further: one of those who wait takes what there is, and leads the others."""
        held = len(self._held(leader))
        waiting = [branch for branch in self._live if branch.leader is leader]
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

    def _best(self, branch: Branch, prompt: Sequence[int]) -> tuple[Branch | None, int]:
        best: tuple[Branch | None, int] = (None, 0)
        for other in self._live:
            coming = list(self._held(other))
            if other.rank == branch.rank and other.leader is None:
                coming += other.todo
            length = common_prefix(coming, prompt)
            if length > best[1]:
                best = (other, length)
        return best

    def _take_over(self, branch: Branch, leader: Branch, length: int) -> None:
        have = self._cache.share(leader.sequence, branch.sequence, length)
        branch.reused_tokens = have
        del branch.todo[:have]
        branch.leader, branch.shared = None, 0

    def _held(self, branch: Branch) -> Sequence[int]:
        return self._cache.tokens(branch.sequence)
