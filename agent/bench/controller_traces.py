"""Traces from reports: what each turn's reply took, so that the controller can be played over it again."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from agent.controller.forecaster import FROM_MEMORY_MS
from agent.controller.quality import Quality, kind_of
from agent.errors import AgentError
from agent.prepare.static import pieces_of
from agent.report.schema import Report, Turn
from latency_budget.marks import Mark
from latency_budget.predictor import Work
from latency_budget.profile import PRIORS, Stage
from latency_budget.simulate import PathTrace, TurnTrace
from stages.tts.pieces import PieceSplitter

BATCH, TWICE = 1.6, 2.0
"""The accurate path as it is modelled where only the fast one was recorded: candidates in one batch cost 1.3 to 1.8
times one decode, and they are written twice as far before one of them is taken."""

_NEEDED = (Mark.SPEECH_END, Mark.TURN_END, Mark.REPLY_STARTED, Mark.REPLY_FIRST_SEGMENT, Mark.TTS_FIRST_CHUNK)


def read_reports(paths: Iterable[Path]) -> list[Report]:
    """Read ``report.json`` files. Raises AgentError that names one that is none."""
    made = []
    for path in paths:
        try:
            made.append(Report.model_validate_json(path.read_text(encoding="utf-8")))
        except (OSError, ValueError) as fault:
            raise AgentError(
                "bench.report", f"{path} is no report.", "Name report.json files of replays."
            ) from fault
    return made


def traces(reports: Iterable[Report], quality: Quality) -> list[TurnTrace]:
    """One trace a turn that was answered with all its marks; the accurate path is modelled from the fast one."""
    found = (trace_of(turn, quality) for report in reports for turn in report.turns)
    return [trace for trace in found if trace is not None]


def trace_of(turn: Turn, quality: Quality) -> TurnTrace | None:
    """The trace of one turn; None where it has none: not answered, cut in, or marks missing."""
    marks, heard = turn.marks, turn.marks.get(Mark.FIRST_AUDIO)
    if turn.onset_ms is None or heard is None or not turn.said or any(one not in marks for one in _NEEDED):
        return None
    kind = kind_of(turn.heard, history=turn.turn > 1)
    end, begun = marks[Mark.SPEECH_END], marks[Mark.REPLY_STARTED]
    written, spoken = marks[Mark.REPLY_FIRST_SEGMENT], marks[Mark.TTS_FIRST_CHUNK]
    first = pieces_of(turn.said, PieceSplitter())[0]
    read = float(turn.tokens.prompt - turn.tokens.reused)
    model = Work(Stage.MODEL, (max(0.0, read), float(len(first.split()))))
    rest = [(Work(Stage.OUTPUT), max(0.0, heard - max(spoken, marks[Mark.TURN_END])))]
    if spoken - written > FROM_MEMORY_MS:
        rest.insert(0, (Work(Stage.TTS, (float(len(first)),)), spoken - written))
    longer = Work(Stage.MODEL, (model.amounts[0], model.amounts[1] * TWICE), factor=BATCH)
    prior = PRIORS[Stage.MODEL]
    more = BATCH * prior.expects(longer.amounts) / prior.expects(model.amounts)
    return TurnTrace(
        max(0.0, begun - end),
        max(0.0, marks[Mark.TURN_END] - end),
        (
            _path("fast", [(model, written - begun), *rest], quality.of("fast", kind)),
            _path("accurate", [(longer, more * (written - begun)), *rest], quality.of("accurate", kind)),
        ),
    )


def _path(path: str, steps: list[tuple[Work, float]], quality: float) -> PathTrace:
    took = tuple(ms for _, ms in steps)
    return PathTrace(path, tuple(work for work, _ in steps), took, quality, sum(took) / 1000.0)  # type: ignore[arg-type]


def live_coverage(reports: Iterable[Report]) -> tuple[int, int]:
    """How many live turns kept the p95 that was predicted for them, and of how many."""
    hits = count = 0
    for turn in (turn for report in reports for turn in report.turns):
        decision = turn.decision
        limit = None if decision is None else decision.predicted_p95_ms.get(decision.chosen)
        if limit is not None and turn.onset_ms is not None:
            count += 1
            hits += turn.onset_ms <= limit
    return hits, count
