"""A compute owner for tests: each piece of work takes a scripted time on the loop's clock, which may be virtual."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TypeVar

from agent.compute import Compute, Grant, Job, Priority
from stages.errors import Aborted

T = TypeVar("T")


class ScriptedCompute(Compute):
    """Runs work on the loop itself, ``takes_ms[priority]`` after it was submitted. Logs what ran, in order."""

    def __init__(self, takes_ms: Mapping[Priority, float]) -> None:
        super().__init__(cores=1, nice=0)
        self._takes_ms = takes_ms
        self.log: list[Priority] = []
        self._tasks: set[asyncio.Task[None]] = set()

    def submit(
        self,
        priority: Priority,
        work: Callable[[Grant], T],
        *,
        threads: int = 1,
        resource: str | None = None,
    ) -> Job[T]:
        """Start the wait; the work runs at its end unless it was aborted by then."""
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        job = Job(priority, work, threads, resource, len(self.log), done)
        job.started = True
        task = asyncio.get_running_loop().create_task(self._later(job))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return job

    async def _later(self, job: Job[T]) -> None:
        await asyncio.sleep(self._takes_ms.get(job.priority, 0.0) / 1000.0)
        if job.done.done():
            return
        if job.abort_asked:
            job.done.set_exception(Aborted())
            job.done.exception()
            return
        self.log.append(job.priority)
        try:
            job.done.set_result(job.work(Grant(self, job)))  # type: ignore[arg-type]
        except Exception as error:  # noqa: BLE001 - handed to whoever awaits the job
            job.done.set_exception(error)
            job.done.exception()
