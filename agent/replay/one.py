"""One call of a run: fed, recorded, and turned into a result."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Protocol

from agent.app import Session
from agent.calls.load import LoadedCall
from agent.replay.plan import ReplayPlan, plan
from agent.replay.result import CallResult, write_result
from agent.replay.run import RunResult, run_call
from agent.replay.sources import Todo
from agent.report.build import CallFacts
from agent.report.schema import Failure, ObserverReading, Turn
from stages.audio.write import write_wav
from stages.contract import RATE_HZ


class Watcher(Protocol):
    """Who is told how far a run has come."""

    def say(self, line: str) -> None:
        """A line for people."""

    def call_begins(self, name: str, seconds: float) -> None:
        """A call is about to be fed."""

    def position(self, seconds: float) -> None:
        """How far the call has come."""

    def turn(self, row: Turn) -> None:
        """A turn is finished."""


class Keeper(Protocol):
    """Who keeps each turn as it finishes."""

    def append(self, turn: Turn) -> None:
        """It is kept when this returns."""


async def replay_one(
    session: Session,
    call: LoadedCall,
    item: Todo,
    max_gap_s: float | None,
    out: Path,
    log: Keeper,
    watcher: Watcher,
    stop: asyncio.Event,
) -> tuple[CallResult, bool]:
    """Feed one call to its end, or until ``stop``; keeps its recording and, if it was fed to its end, its result."""
    planned = plan(call, max_gap_s)
    turns: list[Turn] = []

    def on_row(row: Turn) -> None:
        log.append(row)
        turns.append(row)
        watcher.turn(row)

    watcher.call_begins(planned.name, len(planned.caller) / RATE_HZ)
    ran = await run_call(session, planned, on_row, lambda ms: watcher.position(ms / 1000.0), stop)
    write_wav(out / item.recording, ran.heard, ran.rate_hz)
    result = _result(call, item, planned, ran, turns)
    if ran.finished and item.keep_at is not None:
        write_result(result, item.keep_at)
    return result, ran.finished


def _result(
    call: LoadedCall, item: Todo, planned: ReplayPlan, ran: RunResult, turns: list[Turn]
) -> CallResult:
    recorder, name = ran.recorder, planned.name
    failures = [Failure(call=name, turn=None, code="stage", message=message) for message in recorder.failures]
    failures += [
        Failure(call=name, turn=None, code="turn.no_words", message=f"turn {d.turn}: {d.why}")
        for d in recorder.dropped
    ]
    facts = CallFacts(
        call=name,
        seconds=len(planned.caller) / RATE_HZ,
        speech_end_source=call.speech_end_source,
        synthetic=call.call.synthetic,
        labelled_turns=len(planned.turns),
        skipped_s=planned.skipped_s,
        lateness_ms=tuple(round(late, 3) for late in recorder.frame_lateness_ms),
        recording=item.recording,
    )
    observed = [
        ObserverReading(call=name, at_ms=round(at - recorder.origin_ms, 1), latency_ms=round(latency, 1))
        for at, latency in recorder.observed_ms
    ]
    return CallResult(
        fingerprint=item.fingerprint,
        facts=facts,
        turns=turns,
        unmatched=ran.unmatched,
        failures=failures,
        observer_ms=observed,
    )
