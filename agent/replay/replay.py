"""A run: any number of calls, one after the other, and what is written to disk about them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from agent.app import Session, build
from agent.calls.load import LoadedCall
from agent.config.load import Loaded
from agent.models.facts import model_facts
from agent.replay.plan import ReplayPlan, plan
from agent.replay.result import CallResult, write_result
from agent.replay.run import RunResult, run_call
from agent.replay.sources import Item, Todo
from agent.report.build import CallFacts, Rows, RunContext, build_report
from agent.report.files import write_all
from agent.report.machine import machine_facts
from agent.report.ran import config_facts
from agent.report.schema import Failure, ObserverReading, ReplayFacts, Report, Turn
from agent.report.write import TurnLog
from agent.stop import stop_on_signal
from stages.audio.write import write_wav
from stages.contract import RATE_HZ
from stages.errors import InputError


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


@dataclass(frozen=True)
class RunOutcome:
    """The report, and whether every call was fed to its end."""

    report: Report
    finished: bool


async def replay(
    items: Sequence[Item], loaded: Loaded, out: Path, watcher: Watcher, *, max_gap_s: float | None
) -> RunOutcome:
    """Replay in real time what is to be replayed of ``items``; results that are there already join the report.

    Writes ``turns.jsonl`` as turns finish, each call's result and recording as it ends, and the report. Ctrl-C ends
    the run at once and in order: the report then holds the turns that were finished.
    """
    started = datetime.now(UTC)
    results: list[CallResult] = []
    problems = [item for item in items if isinstance(item, Failure)]
    finished = True
    with TurnLog(out / "turns.jsonl") as log, stop_on_signal() as stop:
        due = any(isinstance(item, Todo) for item in items)
        session = await build(loaded, watcher.say) if due else None
        try:
            for item in items:
                if isinstance(item, CallResult):
                    for turn in item.turns:
                        log.append(turn)
                    results.append(item)
                elif isinstance(item, Todo) and session is not None:
                    call = _load(item, problems, watcher)
                    if call is None:
                        continue
                    result, finished = await _one(session, call, item, max_gap_s, out, log, watcher, stop)
                    results.append(result)
                    if not finished:
                        break
        finally:
            if session is not None:
                session.close()
            report = _report(results, problems, loaded, started, max_gap_s)
            write_all(report, out)
    return RunOutcome(report, finished)


def _load(item: Todo, problems: list[Failure], watcher: Watcher) -> LoadedCall | None:
    """The call, or None if it cannot be read: then the run goes on without it, and the report says so."""
    try:
        call = item.load()
    except InputError as error:
        watcher.say(f"left out: {error}")
        problems.append(Failure(call=item.recording, turn=None, code=error.code, message=str(error)))
        return None
    for note in call.notes:
        watcher.say(f"  note: {note}")
    return call


async def _one(
    session: Session,
    call: LoadedCall,
    item: Todo,
    max_gap_s: float | None,
    out: Path,
    log: TurnLog,
    watcher: Watcher,
    stop: asyncio.Event,
) -> tuple[CallResult, bool]:
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


def _report(
    results: Sequence[CallResult],
    problems: Sequence[Failure],
    loaded: Loaded,
    started: datetime,
    max_gap_s: float | None,
) -> Report:
    context = RunContext(
        started_at=started,
        machine=machine_facts(),
        config=config_facts(loaded),
        models=model_facts(loaded.config),
        replay=ReplayFacts(mode="recorded", max_gap_s=max_gap_s),
        calls=[result.facts for result in results],
        failures=[*problems, *(failure for result in results for failure in result.failures)],
        observer_ms=[reading for result in results for reading in result.observer_ms],
    )
    turns = [turn for result in results for turn in result.turns]
    unmatched = [row for result in results for row in result.unmatched]
    return build_report(Rows(turns, unmatched), context)
