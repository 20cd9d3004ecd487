"""The owner of the cores: order, giving way, abort, exclusive resources."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable

import pytest

from agent.compute import Compute, Grant, Priority
from stages.errors import Aborted


@pytest.fixture
async def compute() -> AsyncIterator[Compute]:
    owner = Compute(cores=1, nice=0)
    yield owner
    owner.close()


def gate() -> tuple[threading.Event, Callable[[Grant], str]]:
    """Work that holds its cores until the event is set."""
    event = threading.Event()

    def work(grant: Grant) -> str:
        assert event.wait(5)
        return "done"

    return event, work


async def test_work_runs_by_priority_then_by_arrival(compute: Compute) -> None:
    release, hold = gate()
    first = compute.submit(Priority.FIRST_SPEECH, hold)
    order: list[str] = []
    jobs = [
        compute.submit(priority, lambda grant, name=name: order.append(name))
        for name, priority in [("b", Priority.BACKGROUND), ("m1", Priority.MODEL), ("m2", Priority.MODEL)]
    ]
    release.set()
    await first.done
    await asyncio.gather(*(job.done for job in jobs))
    assert order == ["m1", "m2", "b"]


async def test_urgent_work_starts_although_the_cores_are_taken(compute: Compute) -> None:
    release, hold = gate()
    first = compute.submit(Priority.MODEL, hold)
    assert await compute.run(Priority.TURN_END, lambda grant: 7) == 7
    release.set()
    assert await first.done == "done"


async def test_long_work_gives_way_at_its_checkpoint(compute: Compute) -> None:
    order: list[str] = []
    started, speech_waits = threading.Event(), threading.Event()

    def model(grant: Grant) -> None:
        order.append("token 1")
        started.set()
        assert speech_waits.wait(5)
        grant.checkpoint()
        order.append("token 2")

    job = compute.submit(Priority.MODEL, model)
    await asyncio.to_thread(started.wait, 5)
    speech = compute.submit(Priority.FIRST_SPEECH, lambda grant: order.append("speech"))
    speech_waits.set()
    await asyncio.gather(job.done, speech.done)
    assert order == ["token 1", "speech", "token 2"]


async def test_abort_stops_running_work_at_its_next_step(compute: Compute) -> None:
    started = threading.Event()

    def work(grant: Grant) -> None:
        started.set()
        while True:
            grant.checkpoint()

    job = compute.submit(Priority.MODEL, work)
    await asyncio.to_thread(started.wait, 5)
    job.abort()
    with pytest.raises(Aborted):
        await job.done
    assert await compute.run(Priority.MODEL, lambda grant: "next") == "next"


async def test_aborted_work_that_waits_never_runs(compute: Compute) -> None:
    release, hold = gate()
    first = compute.submit(Priority.FIRST_SPEECH, hold)
    ran: list[int] = []
    waiting = compute.submit(Priority.BACKGROUND, lambda grant: ran.append(1))
    waiting.abort()
    release.set()
    await first.done
    with pytest.raises(Aborted):
        await waiting.done
    assert ran == []


async def test_a_resource_is_used_by_one_at_a_time_also_while_its_holder_is_paused() -> None:
    owner = Compute(cores=4, nice=0)
    inside, most, lock = 0, 0, threading.Lock()

    def work(grant: Grant) -> None:
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside)
        grant.checkpoint()
        with lock:
            inside -= 1

    jobs = [owner.submit(Priority(i % 6), work, resource="seat") for i in range(60)]
    await asyncio.gather(*(job.done for job in jobs))
    owner.close()
    assert most == 1


async def test_a_fault_reaches_whoever_waits_and_frees_the_cores(compute: Compute) -> None:
    def broken(grant: Grant) -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        await compute.run(Priority.MODEL, broken)
    assert await compute.run(Priority.MODEL, lambda grant: 1) == 1
    assert compute.busy() == 0


async def test_cancelling_the_wait_aborts_the_work(compute: Compute) -> None:
    started, seen = threading.Event(), threading.Event()

    def work(grant: Grant) -> None:
        started.set()
        while not grant.aborted():
            pass
        seen.set()

    task = asyncio.create_task(compute.run(Priority.MODEL, work))
    await asyncio.to_thread(started.wait, 5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(seen.wait, 5)


async def test_close_ends_all_threads() -> None:
    before = threading.active_count()
    owner = Compute(cores=2, nice=0)
    await asyncio.gather(*(owner.submit(Priority.MODEL, lambda grant: 1).done for _ in range(20)))
    owner.close()
    assert threading.active_count() == before
