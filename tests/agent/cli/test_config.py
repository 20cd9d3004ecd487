"""``config check | show | explain``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from agent.cli.app import run
from agent.config.load import DEFAULT_FILE, load
from agent.config.model import thread_caps


def test_check_says_what_is_in_force(capsys: pytest.CaptureFixture[str]) -> None:
    loaded = load()
    assert run(["config", "check", str(DEFAULT_FILE)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{DEFAULT_FILE}: valid, sha256 {loaded.sha256()[:12]}"
    assert lines[1] == f"persona: Robin, {len(loaded.persona.facts)} facts ({loaded.persona_path})"
    assert lines[2].startswith("threads: endpoint.smart_turn 1, ")


def test_check_of_a_bad_file_ends_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "my.yaml"
    file.write_text("budget: {budget_ms: 1}\n")
    assert run(["config", "check", str(file)]) == 2
    out = capsys.readouterr()
    assert out.out == ""
    assert out.err.splitlines()[0] == (
        f"error: {file}:1: budget.budget_ms must be a number from 50 to 10000, not 1."
    )


def test_show_prints_a_file_that_loads_as_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["config", "show", "--set", "budget.budget_ms=400"]) == 0
    file = tmp_path / "shown.yaml"
    file.write_text(capsys.readouterr().out)
    again = load(file)
    assert again.config.budget.budget_ms == 400
    assert file.read_text().splitlines()[-1] == f"# sha256 {again.sha256()}"


def test_show_defaults_is_the_shipped_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["config", "show", "--defaults"]) == 0
    assert capsys.readouterr().out == DEFAULT_FILE.read_text(encoding="utf-8")


def test_show_json_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    loaded = load()
    assert run(["config", "show", "--json", "-"]) == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    assert json.loads(out) == {
        "path": str(DEFAULT_FILE),
        "sha256": loaded.sha256(),
        "persona_path": str(loaded.persona_path),
        "threads": thread_caps(loaded.config),
        "notes": list(loaded.notes),
        "values": loaded.effective(),
    }
    assert run(["config", "show", "--json", str(tmp_path / "x.json")]) == 0
    assert (tmp_path / "x.json").read_text() == out


def test_explain_points_at_the_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "my.yaml"
    file.write_text("compute:\n  nice: 7\n")
    assert run(["config", "explain", "compute.nice", "--config", str(file)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "compute.nice: how far model threads stand behind playback (Linux)",
        "  takes    a whole number from 0 to 19",
        "  read by  agent/compute.py, the owner of the cores",
        "  default  5",
        "  value    7",
        f"  set at   {file}:2",
    ]


def test_the_documentation_names_every_section() -> None:
    text = (Path(__file__).resolve().parents[3] / "docs" / "configuration.md").read_text(encoding="utf-8")
    named = [line.split("`")[1] for line in text.splitlines() if line.startswith("| `")]
    assert named == list(yaml.safe_load(DEFAULT_FILE.read_text(encoding="utf-8")))
