"""Several calls at once: each in its own process, all in one report that says so."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from agent.config.load import load
from agent.replay.jobs import replay_at_once
from agent.replay.sources import Todo
from agent.report.facts import Failure
from agent.report.schema import Report, Turn
from agent.report.write import read_turns

from .conftest import Run, main_py


class Follower:
    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, line: str) -> None:
        self.lines.append(line)

    def call_begins(self, name: str, seconds: float) -> None:
        self.lines.append(name)

    def position(self, seconds: float) -> None:
        pass

    def turn(self, row: Turn) -> None:
        pass

    def append(self, turn: Turn) -> None:
        pass


def todo(path: Path) -> Todo:
    return Todo(lambda: pytest.fail("read in the parent"), "call.wav", None, "", path, None)


def test_a_call_that_cannot_be_read_is_a_failure_and_the_next_is_begun(tmp_path: Path) -> None:
    follower = Follower()
    (tmp_path / "bad.wav").write_text("no sound")
    todos = [todo(tmp_path / "bad.wav"), todo(tmp_path / "absent.wav")]
    outcomes = asyncio.run(
        replay_at_once(todos, 2, load(), tmp_path, follower, follower, asyncio.Event(), None)
    )
    assert [type(one) for one in outcomes] == [Failure, Failure]
    assert [one.call for one in outcomes if isinstance(one, Failure)] == ["bad.wav", "absent.wav"]
    assert len([line for line in follower.lines if line.startswith("left out: ")]) == 2


def test_after_a_stop_nothing_is_begun(tmp_path: Path) -> None:
    async def stopped() -> list[object]:
        stop = asyncio.Event()
        stop.set()
        follower = Follower()
        return list(
            await replay_at_once([todo(tmp_path)], 1, load(), tmp_path, follower, follower, stop, None)
        )

    assert asyncio.run(stopped()) == [None]


def test_files_are_not_replayed_at_once(run_main: Run, tmp_path: Path) -> None:
    code, _, err = run_main("replay", str(tmp_path / "a.wav"), "--jobs", "2")
    assert code == 2
    assert "is no folder" in err


@pytest.fixture
def two_calls(short_call: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "calls"
    folder.mkdir()
    for name in ("one", "two"):
        call = json.loads(short_call.read_text()) | {"name": name}
        (folder / f"{name}.call.json").write_text(json.dumps(call))
    shutil.copy(short_call.parent / "short.wav", folder)
    return folder


@pytest.mark.models
def test_two_calls_at_once_are_one_report(run_main: Run, two_calls: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    code, table, err = run_main("replay", str(two_calls), "--out", str(out), "--jobs", "2")
    assert code == 0, err
    assert "2 calls AT ONCE" in table
    report = Report.model_validate_json((out / "report.json").read_bytes())
    assert report.replay.jobs == 2
    assert [(turn.call, turn.turn) for turn in report.turns] == [
        (name, at) for name in ("one", "two") for at in range(3)
    ]
    assert {(one.call, one.turn) for one in read_turns(out / "turns.jsonl")} == {
        (one.call, one.turn) for one in report.turns
    }
    assert (out / "one.wav").exists()
    code, _, err = run_main("replay", str(two_calls), "--out", str(out), "--jobs", "2")
    assert code == 0, err
    assert "0 calls to replay, 2 have their result already" in " ".join(err.split())


@pytest.mark.models
def test_ctrl_c_stops_all_of_them_and_keeps_what_was_finished(two_calls: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = main_py("replay", str(two_calls), "--out", str(out), "--jobs", "2")
    until = time.monotonic() + 90
    log = out / "turns.jsonl"
    while not (log.exists() and log.stat().st_size) and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    report = Report.model_validate_json((out / "report.json").read_bytes())
    assert 1 <= len(report.turns) < 6
    time.sleep(0.5)
    workers = subprocess.run(
        ["pgrep", "-f", "agent.replay.worker"], capture_output=True, text=True, check=False
    )
    assert workers.stdout == ""
