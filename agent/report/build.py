"""Puts a report together from a run's rows and what is known about the run. Pure: everything comes in as
data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from agent.report.facts import (
    Call,
    ConfigFacts,
    Failure,
    Machine,
    ModelFacts,
    ObserverReading,
    ReplayFacts,
    SpeechEndSource,
)
from agent.report.schema import Report
from agent.report.summary import lateness, summarise_rows
from agent.report.turns import Turn, UnmatchedRow


@dataclass(frozen=True, slots=True)
class CallFacts:
    """What is known about one call besides its turns.

    Attributes:
        call: its name.
        seconds: length of its audio.
        speech_end_source: where the ends of its turns come from.
        synthetic: made by a synthesiser.
        labelled_turns: how many caller turns its labels have.
        skipped_s: audio that gap skipping left out.
        lateness_ms: how late each frame was pushed.
        recording: the name of the file with both voices, beside the report.
    """

    call: str
    seconds: float
    speech_end_source: SpeechEndSource
    synthetic: bool
    labelled_turns: int
    skipped_s: float = 0.0
    lateness_ms: Sequence[float] = ()
    recording: str | None = None


@dataclass(frozen=True, slots=True)
class RunContext:
    """What is known about a run besides its turns. ``wer`` is a share, None where no text was checked."""

    started_at: datetime
    machine: Machine
    config: ConfigFacts
    replay: ReplayFacts
    calls: Sequence[CallFacts]
    failures: Sequence[Failure] = ()
    observer_ms: Sequence[ObserverReading] = ()
    wer: float | None = None
    models: Sequence[ModelFacts] = ()


@dataclass(frozen=True, slots=True)
class Rows:
    """Everything that happened in a run, over all its calls."""

    turns: Sequence[Turn]
    unmatched: Sequence[UnmatchedRow] = field(default=())


def build_report(rows: Rows, context: RunContext) -> Report:
    """The report of a run. A turn with an impossible order of marks adds a failure of its own.

    A call that stopped half way has fewer rows than labelled turns: that is a failure in the report too.

    Raises:
        ValueError: a row names a call that the context does not know, or a turn stands there twice.
    """
    _check(rows, context)
    faults = [
        Failure(call=turn.call, turn=turn.turn, code="marks.order", message=turn.fault)
        for turn in rows.turns
        if turn.fault is not None
    ]
    failures = [*context.failures, *faults, *_missing(rows, context)]
    every_frame = [late for call in context.calls for late in call.lateness_ms]
    return Report(
        started_at=context.started_at,
        machine=context.machine,
        config=context.config,
        models=list(context.models),
        replay=context.replay,
        calls=[_call(facts) for facts in context.calls],
        turns=list(rows.turns),
        unmatched=list(rows.unmatched),
        failures=failures,
        observer_ms=list(context.observer_ms),
        summary=summarise_rows(rows.turns, rows.unmatched, failures, every_frame, context.wer),
    )


def _check(rows: Rows, context: RunContext) -> None:
    known = {facts.call for facts in context.calls}
    named = {turn.call for turn in rows.turns} | {row.call for row in rows.unmatched}
    if strange := named - known:
        raise ValueError(f"rows of unknown calls: {', '.join(sorted(strange))}")
    if len({(turn.call, turn.turn) for turn in rows.turns}) != len(rows.turns):
        raise ValueError("a turn has two rows")


def _missing(rows: Rows, context: RunContext) -> list[Failure]:
    """Turns in = turns reported; where that is not so, the report says it."""
    counts: Mapping[str, int] = {
        facts.call: sum(turn.call == facts.call for turn in rows.turns) for facts in context.calls
    }
    return [
        Failure(
            call=facts.call,
            turn=None,
            code="report.turns_missing",
            message=f"{facts.labelled_turns} labelled turns, {counts[facts.call]} reported",
        )
        for facts in context.calls
        if counts[facts.call] != facts.labelled_turns
    ]


def _call(facts: CallFacts) -> Call:
    return Call(
        call=facts.call,
        seconds=round(facts.seconds, 3),
        speech_end_source=facts.speech_end_source,
        synthetic=facts.synthetic,
        labelled_turns=facts.labelled_turns,
        skipped_s=round(facts.skipped_s, 3),
        lateness_ms=lateness(facts.lateness_ms),
        recording=facts.recording,
    )
