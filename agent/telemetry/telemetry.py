"""Hands finished turns to OpenTelemetry and Prometheus. Nothing is imported or opened unless it is asked for."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from agent.errors import AgentError
from agent.report.turns import Turn, UnmatchedRow
from agent.telemetry.config import TelemetryConfig
from agent.telemetry.spans import Models, SpanPlan, Words, turn_span

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Span, Tracer

    from agent.telemetry.metrics import Metrics

EXPORT_S = 5.0
"""How long a collector may take for one delivery, the last one too."""


class Traces:
    """Spans of turns, below one span a call."""

    def __init__(self, provider: TracerProvider, models: Models, words: Words) -> None:
        self._provider, self._models, self._words = provider, models, words
        self._tracer: Tracer = provider.get_tracer("budgie")
        self._calls: dict[str, tuple[Span, float]] = {}

    def turn(self, turn: Turn, origin_unix_ms: float) -> None:
        """Emit a finished turn."""
        plan = turn_span(turn, self._models, self._words)
        if plan is None:
            return
        call, _ = self._calls.get(turn.call) or (self._call(turn.call, origin_unix_ms), 0.0)
        self._emit(plan, origin_unix_ms, call)
        self._calls[turn.call] = (call, origin_unix_ms + plan.end_ms)

    def over(self, name: str) -> None:
        """The call has ended: so does its span."""
        span, end_ms = self._calls.pop(name, (None, 0.0))
        if span is not None:
            span.end(_ns(end_ms))

    def close(self) -> None:
        """End what is open and deliver what is left."""
        for name in list(self._calls):
            self.over(name)
        self._provider.shutdown()

    def _call(self, name: str, origin_unix_ms: float) -> Span:
        from opentelemetry.context import Context

        attributes = {"conversation.id": name, "conversation.type": "voice"}
        return self._tracer.start_span(
            "conversation", Context(), start_time=_ns(origin_unix_ms), attributes=attributes
        )

    def _emit(self, plan: SpanPlan, origin_unix_ms: float, parent: Span) -> None:
        from opentelemetry.trace import Status, StatusCode, set_span_in_context

        span = self._tracer.start_span(
            plan.name,
            set_span_in_context(parent),
            start_time=_ns(origin_unix_ms + plan.start_ms),
            attributes=dict(plan.attributes),
        )
        if plan.error is not None:
            span.set_status(Status(StatusCode.ERROR, plan.error))
        for child in plan.children:
            self._emit(child, origin_unix_ms, span)
        span.end(_ns(origin_unix_ms + plan.end_ms))


class Telemetry:
    """What operators asked for; with neither traces nor metrics it does nothing."""

    def __init__(self, traces: Traces | None = None, metrics: Metrics | None = None) -> None:
        self._traces, self._metrics = traces, metrics
        self._stop: Callable[[], None] = lambda: None

    def turn(self, turn: Turn, origin_unix_ms: float) -> None:
        """A turn is finished; its call began at ``origin_unix_ms``."""
        if self._traces is not None:
            self._traces.turn(turn, origin_unix_ms)
        if self._metrics is not None:
            self._metrics.turn(turn)

    def over(self, call: str, unmatched: Sequence[UnmatchedRow]) -> None:
        """A call has ended."""
        if self._traces is not None:
            self._traces.over(call)
        if self._metrics is not None:
            for row in unmatched:
                self._metrics.unmatched(row)

    def serve(self, host: str, port: int) -> None:
        """Show the metrics. Raises AgentError if the port cannot be had."""
        if self._metrics is not None:
            server = self._metrics.serve(host, port)

            def stop() -> None:
                server.shutdown()
                server.server_close()

            self._stop = stop

    def close(self) -> None:
        """Deliver what is left and free the port."""
        if self._traces is not None:
            self._traces.close()
        self._stop()


def open_telemetry(config: TelemetryConfig, models: Models, words: Words) -> Telemetry:
    """What ``config`` asks for. Raises AgentError for a file or a port that cannot be had."""
    traces = metrics = None
    if config.traces is not None:
        traces = Traces(_provider(config, config.traces), models, words)
    if config.metrics_port is not None:
        from agent.telemetry.metrics import Metrics

        metrics = Metrics()
    telemetry = Telemetry(traces, metrics)
    if config.metrics_port is not None:
        try:
            telemetry.serve(config.metrics_host, config.metrics_port)
        except AgentError:
            telemetry.close()
            raise
    return telemetry


def _provider(config: TelemetryConfig, target: str) -> TracerProvider:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor

    provider = TracerProvider(
        resource=Resource.create({"service.name": config.service}), shutdown_on_exit=False
    )
    if target.endswith(".jsonl"):
        provider.add_span_processor(SimpleSpanProcessor(_to_file(Path(target))))
    else:
        # A collector that is away must neither hold a turn up nor fill the terminal.
        logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)
        provider.add_span_processor(
            BatchSpanProcessor(_to_collector(target), export_timeout_millis=EXPORT_S * 1000)
        )
    return provider


def _to_collector(address: str) -> SpanExporter:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    return OTLPSpanExporter(endpoint=address, timeout=EXPORT_S)


def _to_file(path: Path) -> SpanExporter:
    from opentelemetry.sdk.trace.export import ConsoleSpanExporter

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a", encoding="utf-8", buffering=1)
    except OSError as error:
        raise AgentError(
            "telemetry.file",
            f"telemetry.traces: {path} cannot be written: {error.strerror or error}.",
            "Choose another file, or null for none.",
            exit_code=3,
        ) from error

    class Lines(ConsoleSpanExporter):
        """One span a line; the file is closed with the exporter."""

        def shutdown(self) -> None:
            file.close()

    return Lines(out=file, formatter=lambda span: span.to_json(indent=None) + "\n")


def _ns(at_ms: float) -> int:
    return round(at_ms * 1e6)
