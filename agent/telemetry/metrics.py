"""Prometheus metrics of finished turns, by the standard client."""

from __future__ import annotations

from wsgiref.simple_server import WSGIServer

from prometheus_client import CollectorRegistry, Counter, Histogram, start_http_server

from agent.errors import AgentError
from agent.report.turns import Turn, UnmatchedRow

BUCKETS_S = (0.1, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8, 1.0, 1.5, 2.0, 3.0, 5.0)


class Metrics:
    """Counts turns and their latencies. Cut-ins stand beside every latency, as in the report."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        to = self.registry
        self._turns = Counter(
            "budgie_turns", "Caller turns that are over, by the path of the reply", ["path"], registry=to
        )
        self._v2v = Histogram(
            "budgie_v2v_seconds",
            "From the caller's last voiced sample to the first audible sample of the answer",
            buckets=BUCKETS_S,
            registry=to,
        )
        self._onset = Histogram(
            "budgie_onset_seconds",
            "The same, to the first audible sample at all",
            buckets=BUCKETS_S,
            registry=to,
        )
        self._delay = Histogram(
            "budgie_endpoint_delay_seconds",
            "From the last voiced sample until the turn was taken for over",
            buckets=BUCKETS_S,
            registry=to,
        )
        self._parts = Counter("budgie_part_seconds", "Parts of V2V, summed", ["part"], registry=to)
        self._events = Counter(
            "budgie_turn_events",
            "Turns in which this happened: cut_in, damaging, missed, interrupted, overtaken, budget_missed, fault",
            ["event"],
            registry=to,
        )
        self._stray = Counter(
            "budgie_unmatched_replies", "Replies to no turn, by reason", ["reason"], registry=to
        )
        self._tokens = Counter(
            "budgie_tokens", "Tokens: prompt, reused, generated, speculated", ["kind"], registry=to
        )

    def turn(self, turn: Turn) -> None:
        """Count one turn."""
        self._turns.labels(turn.path or "none").inc()
        if not turn.overtaken:
            if turn.v2v_ms is not None:
                self._v2v.observe(turn.v2v_ms / 1000)
            if turn.endpoint_delay_ms is not None:
                self._delay.observe(max(0.0, turn.endpoint_delay_ms / 1000))
            if turn.parts_ms is not None:
                for name, ms in turn.parts_ms.model_dump().items():
                    self._parts.labels(name).inc(ms / 1000)
        if turn.onset_ms is not None:
            self._onset.observe(turn.onset_ms / 1000)
        happened = {
            "cut_in": turn.cut_in,
            "damaging": turn.damaging,
            "missed": turn.missed,
            "interrupted": turn.interrupted,
            "overtaken": turn.overtaken,
            "budget_missed": turn.budget_met is False,
            "fault": turn.fault is not None,
        }
        for name, so in happened.items():
            self._events.labels(name).inc(int(so))
        for name, count in turn.tokens.model_dump().items():
            self._tokens.labels(name).inc(count)

    def unmatched(self, row: UnmatchedRow) -> None:
        """Count a reply that answered no turn."""
        self._stray.labels(row.reason).inc()

    def serve(self, host: str, port: int) -> WSGIServer:
        """Answer on http://host:port/metrics from a thread of its own. Raises AgentError if the port is taken."""
        try:
            server, _ = start_http_server(port, host, self.registry)
        except OSError as error:
            raise AgentError(
                "telemetry.port",
                f"telemetry.metrics_port: {host}:{port} cannot be listened on: {error.strerror or error}.",
                "Choose a port that is free, or null for none.",
                exit_code=3,
            ) from error
        return server
