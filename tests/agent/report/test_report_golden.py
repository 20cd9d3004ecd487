"""The whole report of a scripted call, letter by letter."""

import pytest
from scripted_call import GOLDEN, golden, report

from agent.report.schema import Report


@pytest.mark.parametrize("name", ["report.json", "table_100.txt", "table_80.txt"])
def test_the_report_is_the_golden_one(name: str) -> None:
    assert golden()[name] == (GOLDEN / name).read_text(encoding="utf-8")


def test_the_same_run_gives_the_same_bytes() -> None:
    assert report().to_json() == report().to_json()


def test_json_goes_there_and_back() -> None:
    text = report().to_json()
    assert "\n" not in text
    assert Report.model_validate_json(text) == report()
    assert Report.model_validate_json(text).to_json() == text
