"""The files of a live call: its labels for `replay`, and its report."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from agent.calls.model import SUFFIX, Call, Segment, Track
from agent.config.load import Loaded
from agent.models.facts import model_facts
from agent.report.build import CallFacts, Rows, RunContext, build_report
from agent.report.machine import machine_facts
from agent.report.ran import config_facts
from agent.report.schema import Failure, ObserverReading, ReplayFacts, Report, Turn
from agent.report.write import write_whole
from agent.talk.call import TalkResult
from agent.transports.loudspeaker import GREETING

WAV = "call.wav"


def live_report(result: TalkResult, rows: list[Turn], loaded: Loaded, started: datetime) -> Report:
    """The report of a live call: the same document as a replay's, its mode and its turn ends "live"."""
    recorder, name = result.recorder, result.name
    failures = [Failure(call=name, turn=None, code="stage", message=text) for text in recorder.failures]
    failures += [
        Failure(call=name, turn=None, code="turn.no_words", message=f"turn {one.turn}: {one.why}")
        for one in recorder.dropped
    ]
    if result.overflows:
        lost = f"the microphone lost audio {result.overflows} times"
        failures.append(Failure(call=name, turn=None, code="sound.overflow", message=lost))
    context = RunContext(
        started_at=started,
        machine=machine_facts(),
        config=config_facts(loaded),
        models=model_facts(loaded.config),
        replay=ReplayFacts(mode="live", max_gap_s=None),
        calls=[
            CallFacts(
                call=name,
                seconds=result.seconds,
                speech_end_source="live",
                synthetic=False,
                labelled_turns=len(result.turns.turns),
                lateness_ms=recorder.frame_lateness_ms,
            )
        ],
        failures=failures,
        observer_ms=[
            ObserverReading(call=name, at_ms=round(at - recorder.origin_ms, 1), latency_ms=round(took, 1))
            for at, took in recorder.observed_ms
        ],
    )
    return build_report(Rows(rows, result.unmatched), context)


def save_call(result: TalkResult, folder: Path) -> Path:
    """Write ``NAME.call.json`` beside the recording, for `replay`; returns its path."""
    segments = sorted([*_caller(result), *_agent(result)], key=lambda one: one.start_s)
    call = Call(
        name=result.name,
        exact=True,
        seconds=result.seconds or None,
        caller=Track(file=WAV, channel=0),
        agent=Track(file=WAV, channel=1),
        turns=tuple(segments),
        source="a live call of `main.py talk`",
        text_source="the recogniser; the agent's own texts",
        timing_source="live: voice activity, pulled back to audible speech",
    )
    path = folder / f"{result.name}{SUFFIX}"
    write_whole(path, call.model_dump_json(by_alias=True, exclude_defaults=True, indent=1) + "\n")
    return path


def _caller(result: TalkResult) -> list[Segment]:
    segments = []
    for turn in result.turns.turns:
        texts = iter([result.turns.words[turn.index]])
        for start_ms, end_ms in turn.voiced():
            segments.append(_segment("caller", start_ms, end_ms, next(texts, "")))
    return segments


def _agent(result: TalkResult) -> list[Segment]:
    """A reply from its first to its last audible sample, with the words that were heard."""
    origin, playback = result.recorder.origin_ms, result.recorder.playback
    segments: list[Segment] = []
    for reply in [GREETING, *result.recorder.records]:
        heard = playback.of(reply)
        if not heard.spans:
            continue
        start_ms, end_ms = heard.spans[0][0] - origin, heard.spans[-1][1] - origin
        said = " ".join(piece.text for piece in heard.pieces if piece.first_ms is not None)
        if start_ms >= 0 and (not segments or start_ms / 1000.0 >= segments[-1].end_s):
            segments.append(_segment("agent", start_ms, end_ms, said))
    return segments


def _segment(role: str, start_ms: float, end_ms: float, text: str) -> Segment:
    return Segment.model_validate(
        {
            "role": role,
            "start_s": round(start_ms / 1000.0, 4),
            "end_s": round(end_ms / 1000.0, 4),
            "text": text,
        }
    )
