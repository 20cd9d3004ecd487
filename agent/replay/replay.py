"""A run: any number of calls, one after the other, and what is written to disk about them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from agent.app import build
from agent.calls.load import LoadedCall
from agent.config.load import Loaded
from agent.models.facts import model_facts
from agent.replay.jobs import replay_at_once
from agent.replay.one import Watcher, replay_one
from agent.replay.result import CallResult
from agent.replay.sources import Item, Todo
from agent.report.build import Rows, RunContext, build_report
from agent.report.files import write_all
from agent.report.machine import machine_facts
from agent.report.ran import config_facts
from agent.report.schema import Failure, ReplayFacts, Report
from agent.report.write import TurnLog
from agent.stop import stop_on_signal
from stages.errors import InputError


@dataclass(frozen=True)
class RunOutcome:
    """The report, and whether every call was fed to its end."""

    report: Report
    finished: bool


async def replay(
    items: Sequence[Item],
    loaded: Loaded,
    out: Path,
    watcher: Watcher,
    *,
    max_gap_s: float | None,
    jobs: int = 1,
) -> RunOutcome:
    """Replay in real time what is to be replayed of ``items``; results that are there already join the report.

    ``jobs`` above 1 replays so many calls at once, which slows each of them: the report says so.

    Writes ``turns.jsonl`` as turns finish, each call's result and recording as it ends, and the report. Ctrl-C ends
    the run at once and in order: the report then holds the turns that were finished.
    """
    started = datetime.now(UTC)
    run = _Run(loaded, out, watcher, max_gap_s)
    run.problems += [item for item in items if isinstance(item, Failure)]
    try:
        with TurnLog(out / "turns.jsonl") as log, stop_on_signal() as stop:
            await (run.in_turn(items, log, stop) if jobs == 1 else run.at_once(items, jobs, log, stop))
    finally:
        report = _report(run.results, run.problems, loaded, started, max_gap_s, jobs)
        write_all(report, out)
    return RunOutcome(report, run.finished)


@dataclass
class _Run:
    loaded: Loaded
    out: Path
    watcher: Watcher
    max_gap_s: float | None
    results: list[CallResult] = field(default_factory=list)
    problems: list[Failure] = field(default_factory=list)
    finished: bool = True

    async def in_turn(self, items: Sequence[Item], log: TurnLog, stop: asyncio.Event) -> None:
        """One call after the other, on models that stay in memory."""
        due = any(isinstance(item, Todo) for item in items)
        session = await build(self.loaded, self.watcher.say) if due else None
        try:
            for item in items:
                if isinstance(item, CallResult):
                    self._known(item, log)
                elif isinstance(item, Todo) and session is not None:
                    call = _load(item, self.problems, self.watcher)
                    if call is None:
                        continue
                    result, self.finished = await replay_one(
                        session, call, item, self.max_gap_s, self.out, log, self.watcher, stop
                    )
                    self.results.append(result)
                    if not self.finished:
                        break
        finally:
            if session is not None:
                session.close()

    async def at_once(self, items: Sequence[Item], jobs: int, log: TurnLog, stop: asyncio.Event) -> None:
        """So many calls at a time, each with models of its own."""
        for item in items:
            if isinstance(item, CallResult):
                self._known(item, log)
        todos = [item for item in items if isinstance(item, Todo)]
        outcomes = await replay_at_once(
            todos, jobs, self.loaded, self.out, log, self.watcher, stop, self.max_gap_s
        )
        for outcome in outcomes:
            if isinstance(outcome, Failure):
                self.problems.append(outcome)
            elif outcome is not None:
                self.results.append(outcome[0])
            if outcome is None or (isinstance(outcome, tuple) and not outcome[1]):
                self.finished = False

    def _known(self, result: CallResult, log: TurnLog) -> None:
        for turn in result.turns:
            log.append(turn)
        self.results.append(result)


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


def _report(
    results: Sequence[CallResult],
    problems: Sequence[Failure],
    loaded: Loaded,
    started: datetime,
    max_gap_s: float | None,
    jobs: int,
) -> Report:
    context = RunContext(
        started_at=started,
        machine=machine_facts(),
        config=config_facts(loaded),
        models=model_facts(loaded.config),
        replay=ReplayFacts(mode="recorded", max_gap_s=max_gap_s, jobs=jobs),
        calls=[result.facts for result in results],
        failures=[*problems, *(failure for result in results for failure in result.failures)],
        observer_ms=[reading for result in results for reading in result.observer_ms],
    )
    turns = [turn for result in results for turn in result.turns]
    unmatched = [row for result in results for row in result.unmatched]
    return build_report(Rows(turns, unmatched), context)
