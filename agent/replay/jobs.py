"""Several calls at once, each in a process of its own. Only when asked for: they take the cores from each other."""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import sys
from collections.abc import Sequence
from pathlib import Path

from agent.config.load import Loaded
from agent.replay.one import Keeper, Watcher
from agent.replay.result import CallResult
from agent.replay.sources import Todo
from agent.replay.worker import Job
from agent.report.schema import Failure, Turn

ROOT = Path(__file__).resolve().parents[2]
LINE_BYTES = 1 << 28
"""A whole result is one line."""
Outcome = tuple[CallResult, bool] | Failure


async def replay_at_once(
    todos: Sequence[Todo],
    jobs: int,
    loaded: Loaded,
    out: Path,
    log: Keeper,
    watcher: Watcher,
    stop: asyncio.Event,
    max_gap_s: float | None,
) -> list[Outcome | None]:
    """Replay ``todos``, ``jobs`` at a time; one outcome each, None where it was not begun.

    ``stop`` breaks off what runs, in order, and begins nothing more.
    """
    free = asyncio.Semaphore(jobs)

    async def one(todo: Todo) -> Outcome | None:
        async with free:
            if stop.is_set():
                return None
            assert todo.path is not None
            job = Job(
                loaded,
                todo.path.resolve(),
                todo.channel,
                todo.recording,
                todo.keep_at.resolve() if todo.keep_at else None,
                todo.fingerprint,
                max_gap_s,
                out.resolve(),
            )
            return await _follow(job, log, watcher, stop)

    return await asyncio.gather(*(one(todo) for todo in todos))


async def _follow(job: Job, log: Keeper, watcher: Watcher, stop: asyncio.Event) -> Outcome:
    """Run a worker, and pass on what it tells."""
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    worker = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "agent.replay.worker",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
        start_new_session=True,  # Ctrl-C is ours to pass on
        limit=LINE_BYTES,
    )
    assert worker.stdin is not None
    assert worker.stdout is not None
    worker.stdin.write(pickle.dumps(job))
    closing = asyncio.create_task(_close_on(stop, worker.stdin))
    outcome: Outcome | None = None
    try:
        async for line in worker.stdout:
            kind, value = json.loads(line)
            if kind == "say":
                watcher.say(value)
            elif kind == "begins":
                watcher.call_begins(*value)
            elif kind == "turn":
                row = Turn.model_validate(value)
                log.append(row)
                watcher.turn(row)
            elif kind == "failure":
                outcome = Failure.model_validate(value)
            else:
                outcome = CallResult.model_validate(value[0]), bool(value[1])
        code = await worker.wait()
    finally:
        closing.cancel()
    if outcome is None:
        text = f"{job.path.name}: its process ended with {code} before the call did."
        outcome = Failure(call=job.path.name, turn=None, code="replay.worker", message=text)
    if isinstance(outcome, Failure):
        watcher.say(f"left out: {outcome.message}")
    return outcome


async def _close_on(stop: asyncio.Event, pipe: asyncio.StreamWriter) -> None:
    await stop.wait()
    pipe.close()
