"""Who may use an engine now: one at a time, the most urgent first, so that threads can share one set of weights."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_LOOK_S = 0.02
"""How often somebody who waits is asked whether he still wants to."""


class Gate:
    """Rank 0 goes before 1 before 2. Whoever is inside learns by :meth:`outranked` that he should come out."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside = False
        self._waiting: Counter[int] = Counter()
        self._claims: dict[object, int] = {}

    @contextmanager
    def hold(self, rank: int, between: Callable[[], object] | None = None) -> Iterator[None]:
        """Wait until nobody is inside and nobody more urgent waits; ``between`` is asked meanwhile, and may raise."""
        self._enter(rank, between)
        try:
            yield
        finally:
            with self._changed:
                self._inside = False
                self._changed.notify_all()

    def claim(self, owner: object, rank: int) -> None:
        """Keep all of a higher rank out from now on, also between two steps, until ``owner`` releases."""
        with self._changed:
            self._claims[owner] = rank

    def release(self, owner: object) -> None:
        """``owner`` keeps nobody out any more. Twice is fine."""
        with self._changed:
            self._claims.pop(owner, None)
            self._changed.notify_all()

    def outranked(self, rank: int) -> bool:
        """Whether somebody more urgent waits or has claimed the engine."""
        with self._changed:
            return self._is_outranked(rank)

    def _enter(self, rank: int, between: Callable[[], object] | None) -> None:
        with self._changed:
            self._waiting[rank] += 1
        try:
            while not self._took(rank):
                if between is not None:
                    between()
        finally:
            with self._changed:
                self._waiting[rank] -= 1
                self._changed.notify_all()

    def _took(self, rank: int) -> bool:
        with self._changed:
            free = self._changed.wait_for(lambda: not self._inside and not self._is_outranked(rank), _LOOK_S)
            self._inside = self._inside or free
            return free

    def _is_outranked(self, rank: int) -> bool:
        waits = any(count and other < rank for other, count in self._waiting.items())
        return waits or any(other < rank for other in self._claims.values())
