"""From a finished turn to its spans. Pure: times are ms of the call, attributes are plain values.

The spans are those of pipecat's own tracing (conversation, turn, stt, llm, tts), with its attribute names and the
OpenTelemetry names for generative models; what only this agent knows is called ``budgie.*``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from agent.report.turns import Turn
from latency_budget.marks import Mark

Value = str | bool | int | float
Words = Callable[[str], str | None]
"""What may be told of a text; None: nothing."""


@dataclass(frozen=True, slots=True)
class SpanPlan:
    """One span: its name, its time in ms of the call, what stands in it, and what it holds."""

    name: str
    start_ms: float
    end_ms: float
    attributes: Mapping[str, Value] = field(default_factory=dict)
    children: tuple[SpanPlan, ...] = ()
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Models:
    """Names of the models at work."""

    recognition: str
    seat: str
    voice: str


def turn_span(turn: Turn, models: Models, words: Words) -> SpanPlan | None:
    """The span of a turn with its stages below it; None where it has no beginning."""
    marks = turn.marks
    start = marks.get(Mark.SPEECH_START, marks.get(Mark.SPEECH_END))
    if start is None:
        return None
    end = max([start, *marks.values(), *(to for _, to in turn.audible_ms)])
    attributes: dict[str, Value | None] = {
        "conversation.id": turn.call,
        "turn.number": turn.turn,
        "turn.type": "conversation",
        "turn.duration_seconds": round((end - start) / 1000, 3),
        "turn.was_interrupted": turn.interrupted,
        "turn.user_bot_latency_seconds": None if turn.v2v_ms is None else turn.v2v_ms / 1000,
        "budgie.path": turn.path,
        "budgie.v2v_ms": turn.v2v_ms,
        "budgie.onset_ms": turn.onset_ms,
        "budgie.response_ms": turn.response_ms,
        "budgie.endpoint_delay_ms": turn.endpoint_delay_ms,
        "budgie.slowest_part": turn.slowest_part,
        "budgie.budget_met": turn.budget_met,
        "budgie.cut_in": turn.cut_in,
        "budgie.damaging": turn.damaging,
        "budgie.missed": turn.missed,
        "budgie.overtaken": turn.overtaken,
        "budgie.stalls": len(turn.stalls_ms),
        "budgie.underruns": turn.underruns,
        "budgie.speculation.hit": turn.speculation.hit,
    }
    if turn.parts_ms is not None:
        attributes |= {f"budgie.parts.{name}_ms": ms for name, ms in turn.parts_ms.model_dump().items()}
    if turn.decision is not None:
        attributes["budgie.decision.why"] = turn.decision.why
    return SpanPlan("turn", start, end, _given(attributes), _stages(turn, models, words), turn.fault)


def _stages(turn: Turn, models: Models, words: Words) -> tuple[SpanPlan, ...]:
    """The stages of which both ends are known. One that was done ahead lies before the turn's end."""
    tokens = turn.tokens
    speech: dict[str, Value | None] = {
        "gen_ai.operation.name": "tts",
        "gen_ai.provider.name": "piper",
        "gen_ai.request.model": models.voice,
        "gen_ai.output.type": "speech",
        "metrics.ttfb": _seconds(turn, Mark.REPLY_FIRST_SEGMENT, Mark.TTS_FIRST_CHUNK),
        "metrics.character_count": len(turn.said),
        "text": words(turn.said),
        "tts.interrupted": turn.interrupted or None,
    }
    reading: dict[str, Value | None] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "llama_cpp",
        "gen_ai.request.model": models.seat,
        "gen_ai.output.type": "text",
        "gen_ai.usage.input_tokens": tokens.prompt,
        "gen_ai.usage.output_tokens": tokens.generated,
        "gen_ai.usage.cache_read.input_tokens": tokens.reused,
        "metrics.ttfb": _seconds(turn, Mark.REPLY_STARTED, Mark.REPLY_FIRST_SEGMENT),
        "input": words(turn.heard),
        "output": words(turn.said),
    }
    hearing: dict[str, Value | None] = {
        "gen_ai.operation.name": "stt",
        "gen_ai.provider.name": "faster_whisper",
        "gen_ai.request.model": models.recognition,
        "is_final": True,
        "transcript": words(turn.heard),
        "metrics.ttfb": _seconds(turn, Mark.SPEECH_END, Mark.ASR_FINAL),
    }
    asked = turn.path != "cached"
    found = (
        _between(turn, "turn_detection", Mark.SPEECH_END, Mark.TURN_END, {}),
        _between(turn, "stt", Mark.SPEECH_START, Mark.ASR_FINAL, hearing),
        _between(turn, "llm", Mark.REPLY_STARTED, Mark.REPLY_FIRST_SEGMENT, reading) if asked else None,
        _between(turn, "tts", Mark.REPLY_FIRST_SEGMENT, Mark.TTS_FIRST_CHUNK, speech),
        _between(turn, "playback", Mark.FIRST_AUDIO, Mark.REPLY_END, {}),
    )
    return tuple(span for span in found if span is not None)


def _between(
    turn: Turn, name: str, first: Mark, last: Mark, attributes: Mapping[str, Value | None]
) -> SpanPlan | None:
    start, end = turn.marks.get(first), turn.marks.get(last)
    if start is None or end is None or end < start:
        return None
    return SpanPlan(name, start, end, _given(attributes))


def _seconds(turn: Turn, first: Mark, last: Mark) -> float | None:
    start, end = turn.marks.get(first), turn.marks.get(last)
    return None if start is None or end is None or end < start else round((end - start) / 1000, 4)


def _given(attributes: Mapping[str, Value | None]) -> dict[str, Value]:
    return {name: value for name, value in attributes.items() if value is not None}
