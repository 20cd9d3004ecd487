"""A run: any number of calls, one after the other, and what is written to disk about them."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from agent.app import Session, build
from agent.calls.load import LoadedCall
from agent.config.load import Loaded
from agent.replay.plan import ReplayPlan, plan
from agent.replay.run import RunResult, run_call
from agent.report.build import CallFacts, Rows, RunContext, build_report
from agent.report.files import write_all
from agent.report.machine import machine_facts
from agent.report.schema import ConfigFacts, Failure, ObserverReading, ReplayFacts, Report, Turn, UnmatchedRow
from agent.report.write import TurnLog
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


@dataclass
class _Collected:
    turns: list[Turn] = field(default_factory=list)
    unmatched: list[UnmatchedRow] = field(default_factory=list)
    calls: list[CallFacts] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    observed: list[ObserverReading] = field(default_factory=list)


@dataclass(frozen=True)
class RunOutcome:
    """The report, and whether every call was fed to its end."""

    report: Report
    finished: bool


async def replay(
    calls: list[LoadedCall], loaded: Loaded, out: Path, watcher: Watcher, *, max_gap_s: float | None
) -> RunOutcome:
    """Replay ``calls`` in real time; writes ``turns.jsonl`` as turns finish, the recording, and ``report.json``.

    Ctrl-C ends the run at once and in order: the report then holds the turns that were finished.
    """
    started = datetime.now(UTC)
    collected = _Collected()
    finished = True
    with TurnLog(out / "turns.jsonl") as log, _stop_on_sigint() as stop:
        session = await build(loaded, watcher.say)
        try:
            for call in calls:
                finished = await _one(
                    session, call, max_gap_s, out, len(calls) > 1, log, watcher, collected, stop
                )
                if not finished:
                    break
        finally:
            session.close()
            report = _report(collected, loaded, started, max_gap_s)
            write_all(report, out)
    return RunOutcome(report, finished)


async def _one(
    session: Session,
    call: LoadedCall,
    max_gap_s: float | None,
    out: Path,
    many: bool,
    log: TurnLog,
    watcher: Watcher,
    collected: _Collected,
    stop: asyncio.Event,
) -> bool:
    planned = plan(call, max_gap_s)

    def on_row(row: Turn) -> None:
        log.append(row)
        collected.turns.append(row)
        watcher.turn(row)

    watcher.call_begins(planned.name, len(planned.caller) / RATE_HZ)
    result = await run_call(session, planned, on_row, lambda ms: watcher.position(ms / 1000.0), stop)
    recording = f"{planned.name}.wav" if many else "call.wav"
    _collect(collected, call, planned, result, recording)
    write_wav(out / recording, result.heard, result.rate_hz)
    return result.finished


def _collect(
    collected: _Collected, call: LoadedCall, planned: ReplayPlan, result: RunResult, recording: str
) -> None:
    recorder, name = result.recorder, planned.name
    collected.unmatched += result.unmatched
    collected.failures += [
        Failure(call=name, turn=None, code="stage", message=message) for message in recorder.failures
    ]
    collected.failures += [
        Failure(call=name, turn=None, code="turn.no_words", message=f"turn {d.turn}: {d.why}")
        for d in recorder.dropped
    ]
    collected.calls.append(
        CallFacts(
            call=name,
            seconds=len(planned.caller) / RATE_HZ,
            speech_end_source=call.speech_end_source,
            synthetic=call.call.synthetic,
            labelled_turns=len(planned.turns),
            skipped_s=planned.skipped_s,
            lateness_ms=recorder.frame_lateness_ms,
            recording=recording,
        )
    )
    collected.observed += [
        ObserverReading(call=name, at_ms=round(at - recorder.origin_ms, 1), latency_ms=round(latency, 1))
        for at, latency in recorder.observed_ms
    ]


def _report(collected: _Collected, loaded: Loaded, started: datetime, max_gap_s: float | None) -> Report:
    budget = loaded.config.budget
    context = RunContext(
        started_at=started,
        machine=machine_facts(),
        config=ConfigFacts(
            path=loaded.path.name,
            sha256=loaded.sha256(),
            budget_ms=budget.budget_ms,
            content_budget_ms=budget.content_budget_ms,
        ),
        replay=ReplayFacts(mode="recorded", max_gap_s=max_gap_s),
        calls=collected.calls,
        failures=collected.failures,
        observer_ms=collected.observed,
    )
    return build_report(Rows(collected.turns, collected.unmatched), context)


@contextmanager
def _stop_on_sigint() -> Iterator[asyncio.Event]:
    """Ctrl-C sets an event instead of tearing the loop down; a second one ends the program at once."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def asked() -> None:
        stop.set()
        loop.remove_signal_handler(signal.SIGINT)

    try:
        loop.add_signal_handler(signal.SIGINT, asked)
    except (NotImplementedError, RuntimeError):  # no signals on this platform or thread
        yield stop
        return
    try:
        yield stop
    finally:
        loop.remove_signal_handler(signal.SIGINT)
