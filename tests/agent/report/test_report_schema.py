import json
from pathlib import Path

import pytest
from pydantic import ValidationError
from scripted_call import report

from agent.report.schema import Report, json_schema

SCHEMA = Path(__file__).parents[3] / "docs" / "report.schema.json"

CONTRACT_TURN = {
    "call", "turn", "heard", "said", "reference", "path", "bridge", "marks", "v2v_ms", "onset_ms", "response_ms",
    "endpoint_delay_ms", "parts_ms", "budget_met", "cut_in", "damaging", "missed", "interrupted", "overtaken",
    "stalls_ms", "decision", "tokens",
}  # fmt: skip
CONTRACT_SUMMARY = {
    "turns", "v2v_ms", "onset_ms", "response_ms", "share_v2v_within", "budget_met", "cut_ins", "damaging_cut_ins",
    "missed", "paths", "speculation", "overtaken", "stalls", "wer", "underruns",
}  # fmt: skip


def test_the_schema_in_docs_is_that_of_the_code() -> None:
    """Write it anew with ``python -m agent.report.schema > docs/report.schema.json``."""
    assert SCHEMA.read_text(encoding="utf-8") == json_schema()


def test_no_field_of_the_contract_was_renamed() -> None:
    found = json.loads(report().to_json())
    assert found["schema"] == 1
    assert {"schema", "machine", "config", "calls", "turns", "summary"} <= set(found)
    assert {"path", "sha256", "budget_ms"} <= set(found["config"])
    assert {"call", "seconds", "speech_end_source"} <= set(found["calls"][0])
    assert set(found["turns"][0]) >= CONTRACT_TURN
    assert set(found["turns"][0]["parts_ms"]) == {"endpoint", "asr", "decision", "model", "tts", "output"}
    assert set(found["turns"][0]["decision"]) >= {"predicted_ms", "chosen", "why"}
    assert set(found["turns"][0]["tokens"]) == {"prompt", "reused", "generated", "speculated"}
    assert set(found["summary"]) >= CONTRACT_SUMMARY
    assert set(found["summary"]["v2v_ms"]) >= {"p50", "p90", "p95", "p99"}
    assert set(found["summary"]["share_v2v_within"]) == {"200", "300", "500", "800"}
    assert set(found["summary"]["paths"]) == {"cached", "speculated", "fast", "accurate"}
    assert set(found["summary"]["speculation"]) >= {"hits", "precision", "waste_tokens", "waste_audio_s"}


def test_an_unknown_field_is_refused() -> None:
    document = json.loads(report().to_json()) | {"colour": "green"}
    with pytest.raises(ValidationError, match="colour"):
        Report.model_validate(document)


def test_a_report_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        report().summary.__setattr__("turns", 0)
