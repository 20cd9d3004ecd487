import json
import os
from pathlib import Path

import pytest
from scripted_call import context, report, rows

from agent.errors import AgentError
from agent.report.build import Rows, build_report
from agent.report.write import TurnLog, read_turns, write_report


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "out" / "turns.jsonl"
    with TurnLog(path) as turns:
        for turn in rows().turns:
            turns.append(turn)
    return path


def test_a_line_is_on_disk_when_append_returns(tmp_path: Path) -> None:
    path = tmp_path / "turns.jsonl"
    with TurnLog(path) as turns:
        for count, turn in enumerate(rows().turns, start=1):
            turns.append(turn)
            assert [json.loads(line)["turn"] for line in path.read_text().splitlines()] == list(range(count))


def test_the_log_survives_being_cut_at_any_byte(log: Path, tmp_path: Path) -> None:
    """Whole lines stay, a cut one is left out; one that lacks only its newline is whole."""
    whole, every = log.read_bytes(), list(rows().turns)
    cut = tmp_path / "cut.jsonl"
    for length in range(len(whole) + 1):
        cut.write_bytes(whole[:length])
        complete = (
            whole[: length + 1].count(b"\n")
            if whole[length : length + 1] == b"\n"
            else whole[:length].count(b"\n")
        )
        assert read_turns(cut) == every[:complete], length


def test_a_new_run_begins_its_log_anew(log: Path) -> None:
    TurnLog(log).close()
    assert read_turns(log) == []


def test_a_broken_line_in_the_middle_is_named(log: Path) -> None:
    lines = log.read_text().splitlines()
    lines[1] = lines[1].replace('"turn":1', '"turn":"one"')
    log.write_text("\n".join(lines) + "\n")
    with pytest.raises(
        AgentError, match=r"turns\.jsonl, line 2 is no turn: turn: Input should be a valid integer"
    ) as caught:
        read_turns(log)
    assert (caught.value.code, caught.value.exit_code) == ("report.bad_line", 2)


def test_the_report_can_be_built_again_from_the_log(log: Path) -> None:
    again = build_report(Rows(read_turns(log), rows().unmatched), context())
    assert again.to_json() == report().to_json()


def test_a_report_is_one_readable_file(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "report.json"
    write_report(report(), path)
    write_report(report(), path)
    assert path.read_text() == report().to_json(indent=2) + "\n"
    assert [entry.name for entry in path.parent.iterdir()] == ["report.json"]
    plain = tmp_path / "plain"
    plain.touch()
    assert path.stat().st_mode == plain.stat().st_mode


def test_a_write_that_fails_leaves_the_old_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "report.json"
    path.write_text("old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(
        AgentError, match=r"report\.json cannot be written: No space left on device"
    ) as caught:
        write_report(report(), path)
    assert (caught.value.exit_code, path.read_text()) == (3, "old")
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.json"]


def test_a_folder_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "out").touch()
    with pytest.raises(AgentError, match="cannot be written"):
        TurnLog(tmp_path / "out" / "turns.jsonl")
    with pytest.raises(AgentError, match="cannot be read"):
        read_turns(tmp_path / "nothing.jsonl")
