"""What Prometheus reads, over HTTP as Prometheus does."""

from __future__ import annotations

import socket
import urllib.request

import pytest
from made_turn import made_turn
from prometheus_client.parser import text_string_to_metric_families

from agent.errors import AgentError
from agent.report.turns import Speculation, Tokens, UnmatchedRow
from agent.telemetry.config import TelemetryConfig
from agent.telemetry.metrics import Metrics
from agent.telemetry.spans import Models
from agent.telemetry.telemetry import open_telemetry

MODELS = Models("whisper-base", "qwen", "joe")


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def page(port: int) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
        text = answer.read().decode()
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_the_page_counts_turns_latencies_and_cut_ins() -> None:
    port = free_port()
    telemetry = open_telemetry(TelemetryConfig(metrics_port=port), MODELS, lambda text: None)
    telemetry.turn(made_turn(0), 0.0)
    telemetry.turn(made_turn(1, v2v_ms=180, path="cached", cut_in=True, damaging=True), 0.0)
    telemetry.turn(made_turn(2, v2v_ms=None, onset_ms=None, missed=True, path=None, parts_ms=None), 0.0)
    stray = UnmatchedRow(
        call="demo",
        exchange=9,
        reason="no_turn",
        turn_end_ms=1.0,
        audible_ms=[],
        heard="",
        said="",
        underruns=0,
        tokens=Tokens(),
        speculation=Speculation(),
    )
    telemetry.over("demo", [stray])
    found = page(port)
    telemetry.close()
    assert found["budgie_turns_total", (("path", "cached"),)] == 1
    assert found["budgie_turns_total", (("path", "none"),)] == 1
    assert found["budgie_v2v_seconds_count", ()] == 2
    assert found["budgie_v2v_seconds_bucket", (("le", "0.2"),)] == 1
    assert found["budgie_v2v_seconds_sum", ()] == pytest.approx(0.78)
    assert found["budgie_turn_events_total", (("event", "cut_in"),)] == 1
    assert found["budgie_turn_events_total", (("event", "missed"),)] == 1
    assert found["budgie_part_seconds_total", (("part", "endpoint"),)] == pytest.approx(0.8)
    assert found["budgie_tokens_total", (("kind", "generated"),)] == 27
    assert found["budgie_unmatched_replies_total", (("reason", "no_turn"),)] == 1
    with pytest.raises(OSError, match="refused"):
        page(port)


def test_a_port_that_is_taken_is_told_with_the_way_out() -> None:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        one.listen()
        port = one.getsockname()[1]
        with pytest.raises(
            AgentError, match=rf"metrics_port: 127.0.0.1:{port} cannot be listened on"
        ) as caught:
            open_telemetry(TelemetryConfig(metrics_port=port), MODELS, lambda text: None)
    assert caught.value.exit_code == 3


def test_an_overtaken_turn_has_no_latency_of_its_own() -> None:
    metrics = Metrics()
    metrics.turn(made_turn(overtaken=True))
    assert metrics.registry.get_sample_value("budgie_v2v_seconds_count") == 0
    assert metrics.registry.get_sample_value("budgie_turn_events_total", {"event": "overtaken"}) == 1


def test_nothing_is_opened_unless_it_is_asked_for() -> None:
    telemetry = open_telemetry(TelemetryConfig(), MODELS, lambda text: None)
    telemetry.turn(made_turn(), 0.0)
    telemetry.over("demo", [])
    telemetry.close()
