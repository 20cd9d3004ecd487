"""One call in a process of its own, for ``replay --jobs``: a job on stdin, lines of JSON on stdout.

``python -m agent.replay.worker`` is started by :mod:`agent.replay.jobs` and by nobody else. Where its stdin ends (the
parent is gone, or wants it to stop), the call is broken off in order and what was finished is told.
"""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from agent.app import build
from agent.calls.load import load_call
from agent.config.load import Loaded
from agent.errors import AgentError
from agent.replay.one import replay_one
from agent.replay.sources import Todo
from agent.report.schema import Failure, Turn
from stages.errors import StageError


@dataclass(frozen=True)
class Job:
    """What a worker is to replay, and where its files go."""

    loaded: Loaded
    path: Path
    channel: int | None
    recording: str
    keep_at: Path | None
    fingerprint: str
    max_gap_s: float | None
    out: Path


class _Lines:
    """Who follows the call, and keeps its turns: whatever happens goes out as a line of JSON."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def send(self, kind: str, value: Any) -> None:
        self._file.write(json.dumps([kind, value]).encode() + b"\n")
        self._file.flush()

    def say(self, line: str) -> None:
        self.send("say", line)

    def call_begins(self, name: str, seconds: float) -> None:
        self.send("begins", [name, seconds])

    def position(self, seconds: float) -> None:
        """Not told: several calls have no one place."""

    def turn(self, row: Turn) -> None:
        """Told as it is kept."""

    def append(self, turn: Turn) -> None:
        self.send("turn", turn.model_dump(mode="json"))


async def work(job: Job, lines: _Lines, source: BinaryIO) -> None:
    """Replay the job's call. What a person can put right is told as a failure, not raised."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()

    def watch() -> None:
        source.read()
        loop.call_soon_threadsafe(stop.set)

    threading.Thread(target=watch, daemon=True).start()
    try:
        call = load_call(job.path, job.channel)
        session = await build(job.loaded)
    except (AgentError, StageError) as error:
        failure = Failure(call=job.path.name, turn=None, code=error.code, message=str(error))
        lines.send("failure", failure.model_dump(mode="json"))
        return
    todo = Todo(lambda: call, job.recording, job.keep_at, job.fingerprint)
    try:
        for note in call.notes:
            lines.say(f"  note: {note}")
        result, finished = await replay_one(session, call, todo, job.max_gap_s, job.out, lines, lines, stop)
    finally:
        session.close()
    lines.send("result", [result.model_dump(mode="json"), finished])


def main() -> None:
    """See the top of this file. Nothing else may write to the real stdout."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    source = sys.stdin.buffer
    job: Job = pickle.load(source)
    asyncio.run(work(job, _Lines(out), source))


if __name__ == "__main__":
    main()
