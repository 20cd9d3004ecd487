"""Spans by exact times and names: in memory, in a file, and at a collector on this machine."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from made_turn import made_turn
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from agent.errors import AgentError
from agent.telemetry.config import TelemetryConfig
from agent.telemetry.redact import redact
from agent.telemetry.spans import Models, turn_span
from agent.telemetry.telemetry import Traces, open_telemetry
from latency_budget.marks import Mark

MODELS = Models("whisper-base", "qwen", "joe")
ORIGIN = 1_700_000_000_000.0
OPERATIONS = Path(__file__).resolve().parents[3] / "docs" / "operations.md"


def nothing(text: str) -> None:
    """No words are told."""


def emitted(*turns: object, **more: object) -> dict[str, ReadableSpan]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    traces = Traces(provider, MODELS, nothing)
    traces.turn(made_turn(**more), ORIGIN)  # type: ignore[arg-type]
    traces.close()
    return {span.name: span for span in exporter.get_finished_spans()}


def ms(span: ReadableSpan) -> tuple[float, float]:
    assert span.start_time is not None
    assert span.end_time is not None
    return span.start_time / 1e6 - ORIGIN, span.end_time / 1e6 - ORIGIN


def test_each_stage_lies_below_its_turn_and_the_turn_below_its_call() -> None:
    spans = emitted()
    assert {name: ms(span) for name, span in spans.items()} == {
        "conversation": (0.0, 5000.0),
        "turn": (1000.0, 5000.0),
        "turn_detection": (3000.0, 3400.0),
        "stt": (1000.0, 3300.0),
        "llm": (3400.0, 3500.0),
        "tts": (3500.0, 3560.0),
        "playback": (3600.0, 5000.0),
    }
    turn, call = spans["turn"], spans["conversation"]
    assert turn.parent is not None
    assert turn.parent.span_id == call.context.span_id
    stages = [span for name, span in spans.items() if name not in ("conversation", "turn")]
    assert {span.parent.span_id for span in stages if span.parent} == {turn.context.span_id}
    assert len({span.context.trace_id for span in spans.values()}) == 1


def test_attributes_bear_the_standard_names_and_the_documented_ones() -> None:
    spans = emitted()
    turn, llm = spans["turn"].attributes or {}, spans["llm"].attributes or {}
    assert (turn["conversation.id"], turn["turn.number"], turn["turn.user_bot_latency_seconds"]) == (
        "demo",
        0,
        0.6,
    )
    assert (turn["budgie.v2v_ms"], turn["budgie.parts.endpoint_ms"], turn["budgie.cut_in"]) == (
        600,
        400,
        False,
    )
    assert (llm["gen_ai.operation.name"], llm["gen_ai.request.model"]) == ("chat", "qwen")
    assert (llm["gen_ai.usage.input_tokens"], llm["gen_ai.usage.cache_read.input_tokens"]) == (120, 100)
    assert llm["metrics.ttfb"] == 0.1
    told = OPERATIONS.read_text(encoding="utf-8")
    for span in spans.values():
        for name in span.attributes or {}:
            assert f"`{name}`" in told or name.startswith("budgie.parts."), name


def test_words_are_told_only_as_far_as_they_may_be() -> None:
    for words, heard in (
        (nothing, None),
        (redact, "My name is [name], account #."),
        (str, made_turn().heard),
    ):
        plan = turn_span(made_turn(), MODELS, words)
        assert plan is not None
        stt = next(span for span in plan.children if span.name == "stt")
        assert stt.attributes.get("transcript") == heard
        if words is nothing:
            texts = [value for span in (plan, *plan.children) for value in span.attributes.values()]
            assert not any("Jordan" in str(value) for value in texts)


def test_what_did_not_happen_has_no_span() -> None:
    assert "llm" not in emitted(path="cached")
    silent = emitted(marks={Mark.SPEECH_START: 1000.0, Mark.SPEECH_END: 3000.0}, audible_ms=[], v2v_ms=None)
    assert set(silent) == {"conversation", "turn"}
    assert turn_span(made_turn(marks={}), MODELS, nothing) is None


def test_a_faulty_turn_is_an_error() -> None:
    assert emitted(fault="turn_end before speech_start")["turn"].status.status_code is StatusCode.ERROR


def test_a_file_gets_a_line_a_span_as_each_turn_ends(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "t.jsonl"
    telemetry = open_telemetry(TelemetryConfig(traces=str(path), service="bank"), MODELS, nothing)
    telemetry.turn(made_turn(), ORIGIN)
    before = [json.loads(line) for line in path.read_text().splitlines()]
    assert sorted(line["name"] for line in before) == [
        "llm",
        "playback",
        "stt",
        "tts",
        "turn",
        "turn_detection",
    ]
    telemetry.over("demo", [])
    telemetry.close()
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines[-1]["name"] == "conversation"
    assert lines[-1]["resource"]["attributes"]["service.name"] == "bank"


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(AgentError, match=r"t\.jsonl cannot be written") as caught:
        open_telemetry(TelemetryConfig(traces=str(tmp_path / "file" / "t.jsonl")), MODELS, nothing)
    assert caught.value.exit_code == 3


@pytest.fixture
def collector() -> Iterator[tuple[str, list[ExportTraceServiceRequest]]]:
    got: list[ExportTraceServiceRequest] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/traces"
            body = self.rfile.read(int(self.headers["Content-Length"]))
            got.append(ExportTraceServiceRequest.FromString(body))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1/traces", got
    server.shutdown()
    server.server_close()


def test_a_collector_gets_every_span_over_otlp(
    collector: tuple[str, list[ExportTraceServiceRequest]],
) -> None:
    address, got = collector
    telemetry = open_telemetry(TelemetryConfig(traces=address), MODELS, redact)
    for number in range(3):
        telemetry.turn(made_turn(number), ORIGIN)
    telemetry.close()
    spans = [
        span
        for request in got
        for resource in request.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]
    assert sorted(span.name for span in spans) == sorted(
        ["conversation"] + 3 * ["turn", "turn_detection", "stt", "llm", "tts", "playback"]
    )


def test_a_collector_that_is_away_holds_nothing_up() -> None:
    telemetry = open_telemetry(TelemetryConfig(traces="http://127.0.0.1:9/v1/traces"), MODELS, nothing)
    began = time.monotonic()
    telemetry.turn(made_turn(), ORIGIN)
    assert time.monotonic() - began < 1.0
    telemetry.close()
    assert time.monotonic() - began < 20.0
