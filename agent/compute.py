"""The owner of the cores: the one place that runs model work, in priority order, with abort.

Work is a plain function that takes a :class:`Grant`. It runs in a thread of this owner; the libraries' own threads
count against the cores while it runs. Urgent work (turn end, final text) starts at once, and long work gives way at
its next checkpoint: a reply that is being generated pauses between two tokens for the 50 ms that the turn-end model or
the first piece of speech needs. On Linux the threads are niced, so that the event loop and playback come first.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import IntEnum
from typing import Generic, TypeVar

from stages.errors import Aborted

T = TypeVar("T")
POOL_THREADS = 8
RECHECK_S = 0.05


class Priority(IntEnum):
    """Who goes first. Playback and voice activity are not here: they run on the event loop itself.

    The first piece of speech stands before the model: once its text is there, nothing else brings the answer nearer,
    and the model has a piece in hand.
    """

    TURN_END = 0
    FINAL_TEXT = 1
    FIRST_SPEECH = 2
    MODEL = 3
    SPEECH = 4
    COUNCIL = 5
    PARTIAL = 6
    PREFILL = 7
    BACKGROUND = 8


URGENT = Priority.FINAL_TEXT
"""Work up to here starts even when all cores are taken; whoever holds them gives way."""


class Grant:
    """Leave to run, as seen by the work itself."""

    def __init__(self, owner: Compute, job: Job[object]) -> None:
        self._owner, self._job = owner, job

    def aborted(self) -> bool:
        """Whether the work is no longer wanted. Fits the stages' ``abort`` argument."""
        return self._job.abort_asked

    def checkpoint(self) -> None:
        """Between two steps of long work: stops if aborted, pauses while more urgent work needs the cores."""
        if self._job.abort_asked:
            raise Aborted
        self._owner._give_way(self._job)


@dataclass(eq=False)
class Job(Generic[T]):
    """One piece of work: await ``done`` for its result; ``abort()`` stops it."""

    priority: Priority
    work: Callable[[Grant], T]
    threads: int
    resource: str | None
    order: int
    done: asyncio.Future[T]
    abort_asked: bool = False
    started: bool = False

    def abort(self) -> None:
        """Ask the work to stop at its next step. Awaiting it then raises :class:`stages.errors.Aborted`."""
        self.abort_asked = True


class Compute:
    """Runs model work on ``cores`` cores. Work that names the same ``resource`` never runs at the same time."""

    def __init__(self, cores: int | None = None, nice: int = 5) -> None:
        self.cores = cores or len_usable_cores()
        self._changed = threading.Condition()
        self._waiting: list[Job[object]] = []
        self._running: set[Job[object]] = set()
        self._paused: set[Job[object]] = set()
        self._order = itertools.count()
        self._pool = ThreadPoolExecutor(
            POOL_THREADS, thread_name_prefix="model", initializer=_lower_priority, initargs=(nice,)
        )

    def submit(
        self,
        priority: Priority,
        work: Callable[[Grant], T],
        *,
        threads: int = 1,
        resource: str | None = None,
    ) -> Job[T]:
        """Queue ``work``; from the event loop. ``threads`` is how many cores it keeps busy."""
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        job = Job(priority, work, min(threads, self.cores), resource, next(self._order), done)
        with self._changed:
            self._waiting.append(job)  # type: ignore[arg-type]
            self._waiting.sort(key=lambda j: (j.priority, j.order))
            self._dispatch()
        return job

    async def run(
        self, priority: Priority, work: Callable[[Grant], T], *, threads: int = 1, resource: str | None = None
    ) -> T:
        """Submit and wait. Cancelling the wait aborts the work."""
        job = self.submit(priority, work, threads=threads, resource=resource)
        try:
            return await job.done
        except asyncio.CancelledError:
            job.abort()
            raise

    def has_room(self, priority: Priority, threads: int = 1) -> bool:
        """Whether work of ``priority`` would start at once and take nothing from work that is more urgent."""
        with self._changed:
            urgent = any(job.priority < priority for job in (*self._waiting, *self._paused))
            return not urgent and (not self._running or self._used() + threads <= self.cores)

    def busy(self) -> int:
        """How many pieces of work wait, run or are paused."""
        with self._changed:
            return len(self._waiting) + len(self._running) + len(self._paused)

    def close(self) -> None:
        """Abort everything and end the threads."""
        with self._changed:
            for job in [*self._waiting, *self._running, *self._paused]:
                job.abort()
            self._dispatch()
            self._changed.notify_all()
        self._pool.shutdown(wait=True)

    # -- inside the lock ------------------------------------------------------------------------------------------

    def _used(self) -> int:
        return sum(job.threads for job in self._running)

    def _fits(self, job: Job[object]) -> bool:
        return not self._running or self._used() + job.threads <= self.cores

    def _resource_free(self, job: Job[object]) -> bool:
        holders = self._running | self._paused
        return job.resource is None or all(other.resource != job.resource for other in holders)

    def _dispatch(self) -> None:
        for job in list(self._waiting):
            if not self._resource_free(job):
                continue
            if not (job.abort_asked or job.priority <= URGENT or self._fits(job)):
                break
            self._waiting.remove(job)
            self._running.add(job)
            job.started = True
            self._pool.submit(self._run, job)

    def _outranked(self, job: Job[object]) -> bool:
        waits = any(w.priority < job.priority and self._resource_free(w) for w in self._waiting)
        crowded = self._used() > self.cores and any(r.priority < job.priority for r in self._running)
        return waits or crowded

    # -- in the work's thread -------------------------------------------------------------------------------------

    def _give_way(self, job: Job[object]) -> None:
        with self._changed:
            if not self._outranked(job):
                return
            self._running.discard(job)
            self._paused.add(job)
            self._dispatch()
            while not job.abort_asked and not (self._fits(job) and not self._outranked(job)):
                self._changed.wait(RECHECK_S)
            self._paused.discard(job)
            self._running.add(job)
        if job.abort_asked:
            raise Aborted

    def _run(self, job: Job[object]) -> None:
        try:
            if job.abort_asked:
                raise Aborted
            outcome: tuple[bool, object] = (True, job.work(Grant(self, job)))
        except BaseException as error:  # noqa: BLE001 - handed to whoever awaits the job
            outcome = (False, error)
        with self._changed:
            self._running.discard(job)
            self._dispatch()
            self._changed.notify_all()
        try:
            job.done.get_loop().call_soon_threadsafe(_settle, job.done, outcome)
        except RuntimeError:
            return  # the loop has ended: nobody waits any more


def _settle(done: asyncio.Future[object], outcome: tuple[bool, object]) -> None:
    if done.done():
        return
    ok, value = outcome
    if ok:
        done.set_result(value)
    else:
        assert isinstance(value, BaseException)
        done.set_exception(value)
        done.exception()  # seen: an aborted job that nobody awaits is no news


def len_usable_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _lower_priority(nice: int) -> None:
    # On Linux a nice value belongs to the thread, and threads that it starts inherit it.
    if nice and sys.platform == "linux":
        thread = threading.get_native_id()
        own = os.getpriority(os.PRIO_PROCESS, thread)
        os.setpriority(os.PRIO_PROCESS, thread, min(19, own + nice))
