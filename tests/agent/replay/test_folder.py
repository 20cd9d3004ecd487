"""A folder of calls: what is found in it, what is kept of a run, and that it goes on where it stopped."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile as sf

from agent.calls.load import LoadedCall
from agent.config.load import Loaded, load
from agent.errors import AgentError
from agent.playback import Playback
from agent.recorder import Recorder
from agent.replay import one as one_call
from agent.replay import replay as module
from agent.replay.result import CallResult
from agent.replay.run import RunResult
from agent.replay.sources import Item, Todo, calls_in, file_name, from_files, from_folder
from agent.report.schema import Report
from agent.report.turns import Turn
from agent.report.write import read_turns

RATE = 16_000


def add_call(folder: Path, name: str, *, end_s: float = 1.5) -> Path:
    """A labelled call of one turn over noise."""
    noise = np.random.default_rng(1).normal(0, 0.1, 2 * RATE).astype(np.float32)
    sf.write(folder / f"{name}.wav", noise, RATE)
    call = {
        "name": name,
        "exact": True,
        "caller": {"file": f"{name}.wav"},
        "turns": [{"role": "caller", "start_s": 0.5, "end_s": end_s, "text": "Hello."}],
    }
    path = folder / f"{name}.call.json"
    path.write_text(json.dumps(call))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "calls"
    folder.mkdir()
    for name in ("b", "a", "c"):
        add_call(folder, name)
    return folder


@pytest.fixture
def settings() -> Loaded:
    return load()


class Quiet:
    """A watcher that remembers what it was told."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.begun: list[str] = []

    def say(self, line: str) -> None:
        self.lines.append(line)

    def call_begins(self, name: str, seconds: float) -> None:
        self.begun.append(name)

    def position(self, seconds: float) -> None:
        pass

    def turn(self, row: Turn) -> None:
        pass


Replay = Callable[..., tuple[module.RunOutcome, Quiet]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, settings: Loaded, tmp_path: Path) -> Replay:
    """Replays items with a pipeline that misses every turn; ``stop_in`` names the call that is broken off."""

    class Session:
        def close(self) -> None:
            pass

    async def build(*_: object) -> Session:
        return Session()

    def start(items: list[Item], stop_in: str | None = None) -> tuple[module.RunOutcome, Quiet]:
        async def run_call(session: Any, plan: Any, on_row: Callable[[Turn], None], *_: object) -> RunResult:
            recorder = Recorder(Playback(RATE, 0.0))
            recorder.frame_lateness_ms = [0.5, 1.25]
            finished = plan.name != stop_in
            if finished:
                on_row(missed(plan.name))
            return RunResult(recorder, [], np.zeros((RATE, 2), np.float32), RATE, finished)

        monkeypatch.setattr(module, "build", build)
        monkeypatch.setattr(one_call, "run_call", run_call)
        watcher = Quiet()
        outcome = asyncio.run(module.replay(items, settings, tmp_path / "out", watcher, max_gap_s=4.0))
        return outcome, watcher

    return start


def missed(call: str) -> Turn:
    """A turn that nobody answered."""
    from agent.report.rows import turn_rows
    from latency_budget.config import BudgetConfig
    from latency_budget.exchange import CallerTurn
    from latency_budget.outcome import match

    return turn_rows(call, match((CallerTurn(0, 500, 1500),), ()), {}, BudgetConfig())[0]


def found(folder: Path, settings: Loaded, *, again: bool = False, gap: float | None = 4.0) -> list[Item]:
    return from_folder(folder, folder.parent / "out", settings, max_gap_s=gap, channel=None, again=again)


def kinds(items: list[Item]) -> list[str]:
    return [type(item).__name__ for item in items]


def test_a_folder_holds_labelled_calls_and_recordings_that_none_of_them_names(folder: Path) -> None:
    sf.write(folder / "alone.flac", np.zeros(RATE), RATE)
    (folder / "notes.txt").write_text("no call")
    assert [path.name for path in calls_in(folder)] == [
        "a.call.json",
        "alone.flac",
        "b.call.json",
        "c.call.json",
    ]


def test_a_run_over_a_folder_goes_on_where_it_was_stopped(
    folder: Path, settings: Loaded, run: Replay
) -> None:
    outcome, watcher = run(found(folder, settings), stop_in="b")
    assert (outcome.finished, watcher.begun) == (False, ["a", "b"])
    out = folder.parent / "out"
    assert [path.name for path in (out / "calls").iterdir()] == ["a.json"]
    items = found(folder, settings)
    assert kinds(items) == ["CallResult", "Todo", "Todo"]
    outcome, watcher = run(items)
    assert (outcome.finished, watcher.begun) == (True, ["b", "c"])
    assert [(turn.call, turn.missed) for turn in outcome.report.turns] == [
        ("a", True),
        ("b", True),
        ("c", True),
    ]
    assert outcome.report.summary.lateness_ms.count == 6
    assert [call.recording for call in outcome.report.calls] == ["a.wav", "b.wav", "c.wav"]
    assert read_turns(out / "turns.jsonl") == outcome.report.turns
    assert Report.model_validate_json((out / "report.json").read_text()) == outcome.report
    assert {path.name for path in out.iterdir()} >= {"report.html", "turns.csv", "a.wav", "b.wav", "c.wav"}


def test_nothing_is_replayed_twice_unless_asked(folder: Path, settings: Loaded, run: Replay) -> None:
    first, _ = run(found(folder, settings))
    second, watcher = run(found(folder, settings))
    assert watcher.begun == []
    assert second.report.model_copy(update={"started_at": first.report.started_at}) == first.report
    _, watcher = run(found(folder, settings, again=True))
    assert watcher.begun == ["a", "b", "c"]


def test_a_result_counts_only_for_what_it_was_made_of(folder: Path, settings: Loaded, run: Replay) -> None:
    run(found(folder, settings))
    assert kinds(found(folder, settings)) == ["CallResult"] * 3
    assert kinds(found(folder, settings, gap=None)) == ["Todo"] * 3
    assert kinds(found(folder, load(None, ["budget.budget_ms=400"]))) == ["Todo"] * 3
    add_call(folder, "b", end_s=1.6)
    assert kinds(found(folder, settings)) == ["CallResult", "Todo", "CallResult"]
    sf.write(folder / "c.wav", np.full(2 * RATE, 0.1), RATE)
    (folder.parent / "out" / "calls" / "a.json").write_text('{"cut off')
    assert kinds(found(folder, settings)) == ["Todo"] * 3


def test_a_file_that_is_no_call_is_left_out_and_told(folder: Path, settings: Loaded, run: Replay) -> None:
    (folder / "bad.call.json").write_text("{")
    (folder / "b.wav").write_text("no audio")
    items = found(folder, settings)
    assert kinds(items) == ["Todo", "Todo", "Failure", "Todo"]
    outcome, watcher = run(items)
    assert (outcome.finished, watcher.begun) == (True, ["a", "c"])
    assert len(outcome.report.failures) == 2
    assert any("bad.call.json" in failure.message for failure in outcome.report.failures)
    assert any("b.wav" in failure.message for failure in outcome.report.failures)


def test_a_folder_without_calls_is_an_error_with_the_reason(tmp_path: Path, settings: Loaded) -> None:
    with pytest.raises(AgentError, match=r"holds no call\. A call is"):
        found(tmp_path, settings)
    (tmp_path / "bad.call.json").write_text("{")
    with pytest.raises(AgentError, match=r"bad\.call\.json"):
        found(tmp_path, settings)


def test_two_calls_of_one_name_are_an_error(folder: Path, settings: Loaded) -> None:
    sf.write(folder / "A.flac", np.zeros(RATE), RATE)
    with pytest.raises(AgentError, match="results would lie over each other"):
        found(folder, settings)


def test_a_single_call_keeps_its_short_name_and_no_result(
    folder: Path, settings: Loaded, run: Replay
) -> None:
    from agent.calls.load import load_call

    call: LoadedCall = load_call(folder / "a.call.json")
    (item,) = from_files([call])
    assert isinstance(item, Todo)
    outcome, _ = run([item])
    assert outcome.report.calls[0].recording == "call.wav"
    assert not (folder.parent / "out" / "calls").exists()
    with pytest.raises(AgentError, match="are called 'a'"):
        from_files([call, call])


@pytest.mark.parametrize(
    ("call", "name"),
    [("a b-1.2", "a b-1.2"), ("../../etc/x", "_.._etc_x"), ("..", "_"), ("Zoë", "Zoë"), ("a/b\nc", "a_b_c")],
)
def test_a_calls_name_never_leaves_the_folder(call: str, name: str) -> None:
    assert file_name(call) == name


def test_a_result_goes_to_disk_and_back(folder: Path, settings: Loaded, run: Replay) -> None:
    run(found(folder, settings))
    first = found(folder, settings)[0]
    assert isinstance(first, CallResult)
    assert first.turns == [missed("a")]
    assert list(first.facts.lateness_ms) == [0.5, 1.25]
