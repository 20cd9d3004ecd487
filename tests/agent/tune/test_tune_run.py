"""The whole search with a scripted replay: what is written, what Ctrl-C keeps, what is gone on with."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from agent.bench.turn_end_evidence import Asked
from agent.bench.turn_end_walk import Silence
from agent.config.load import Loaded, load
from agent.errors import AgentError
from agent.report.schema import Turn
from agent.tune import run
from agent.tune.live import Replayed, figures_of
from agent.tune.result import Point, TuneResult
from agent.tune.run import tune
from agent.tune.task import Call, Task
from tests.agent.tune.made_report import made

NAMES = ("a", "b", "c", "d")


class Silent:
    def say(self, line: str) -> None: ...
    def call_begins(self, name: str, seconds: float) -> None: ...
    def position(self, seconds: float) -> None: ...
    def turn(self, row: Turn) -> None: ...
    def stage(self, title: str, total: int) -> None: ...
    def step(self, point: Point | None) -> None: ...


class Script:
    """Stands for the replays: answers in 900 ms, or in 400 where ``asr.partial_every_ms`` is 250."""

    def __init__(self) -> None:
        self.runs: list[tuple[str, list[str]]] = []
        self.stop_at: Callable[[Path], bool] = lambda out: False
        self.quick_ms = 400.0

    def __call__(self, calls: Sequence[Path], loaded: Loaded, out: Path, watcher: object) -> Replayed | None:
        self.runs.append((out.name, [path.stem for path in calls]))
        if self.stop_at(out):
            return None
        wait = self.quick_ms if loaded.config.asr.partial_every_ms == 250.0 else 900.0
        report = made({path.stem: [wait + 5.0 * at for at in range(8)] for path in calls})
        figures = figures_of(report, loaded.config.budget.budget_ms, 2000.0, 0.5)
        assert figures is not None
        return Replayed(report, figures)


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Script:
    def asked(paths: Sequence[Path], *_: object) -> dict[str, dict[str, list[Asked]]]:
        name = paths[0].stem
        found = [
            Asked(
                name, Silence(at, "shift", 1000.0, math.inf, 0.0, 1000.0, "Yes?", ()), {}, "What is it?", 0.5
            )
            for at in range(4)
        ]
        return {"calls": {name: found}}

    script = Script()
    monkeypatch.setattr(run, "replayed", script)
    monkeypatch.setattr(run, "ask_all", asked)
    monkeypatch.setattr(run, "_call", lambda path: Call(path, path.stem, 60.0))
    monkeypatch.setattr(run, "EXACT_POINTS", 12)
    return script


@pytest.fixture
def task(tmp_path: Path) -> Task:
    paths = [tmp_path / f"{name}.wav" for name in NAMES]
    for path in paths:
        path.write_bytes(path.stem.encode())
    return Task(paths, None, ["budget.budget_ms=600"], 0.03, 10, tmp_path / "out")


def test_the_gain_is_found_confirmed_on_held_back_calls_and_written(task: Task, script: Script) -> None:
    result = tune(task, Silent())
    assert (result.finished, result.kept, result.held_back) == (True, "tuned", ["c"])
    assert result.confirmed is not None
    gain = next(line for line in result.confirmed.others[0].lines if line.name == "V2V mean")
    assert (gain.difference, gain.verdict) == (-500.0, "better")
    best = load(task.out / "best.yaml").config
    assert best.asr.partial_every_ms == 250.0
    assert best.budget.budget_ms == 600.0
    text = (task.out / "best.yaml").read_text()
    assert "bear out the gain" in text
    assert "asr.partial_every_ms: 500.0 -> 250.0" in text
    assert {name for name, calls in script.runs if "c" in calls} == {"before", "after"}
    on_disk = json.loads((task.out / "tune.json").read_text())
    assert TuneResult.model_validate(on_disk) == result
    assert "bear out the gain" in (task.out / "tune.html").read_text()


def test_ctrl_c_keeps_the_best_so_far_and_the_same_task_goes_on(task: Task, script: Script) -> None:
    seen = 0

    def stop(out: Path) -> bool:
        nonlocal seen
        seen += out.parent.name == "trials"
        return seen > 6

    script.stop_at = stop
    first = tune(task, Silent())
    assert (first.finished, len(first.live), first.confirmed) == (False, 6, None)
    assert load(task.out / "best.yaml")
    script.stop_at = lambda out: False
    second = tune(task, Silent())
    assert second.finished
    assert [point.settings for point in second.live[:6]] == [point.settings for point in first.live]
    assert all(
        point.quality is None for point in (*first.live, *second.live)
    )  # nothing told it: it stays unknown


def test_ctrl_c_after_the_first_confirmation_says_what_it_showed(task: Task, script: Script) -> None:
    more = [*task.calls, *(task.out.parent / f"{name}.wav" for name in "ef")]
    for path in more:
        path.write_bytes(path.stem.encode())
    script.stop_at = lambda out: out.parent.name == "confirm" and len(script.runs[-1][1]) > 1
    result = tune(Task(more, None, task.sets, 0.03, 10, task.out), Silent())
    assert (result.finished, result.held_back) == (False, ["c", "f"])
    assert result.confirmed is not None
    assert "bear out the gain" in result.why


def test_ctrl_c_in_the_first_replay_leaves_the_settings_as_they_were(task: Task, script: Script) -> None:
    script.stop_at = lambda out: True
    result = tune(task, Silent())
    assert (result.finished, result.kept, result.changes) == (False, "own", [])
    assert load(task.out / "best.yaml").config == task.load({}).config


def test_a_turn_end_without_a_search_is_told(task: Task, script: Script) -> None:
    other = Task(task.calls, None, ["endpoint.decide=sound"], 0.03, 1, task.out)
    with pytest.raises(AgentError, match=r"endpoint\.decide is sound"):
        tune(other, Silent())
