"""One turn, told: marks from the last voiced sample on, decisions in order, and clear errors."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console
from scripted_call import report

from agent.cli.app import run
from agent.report.told import find, tell
from agent.report.turns import Decision, DecisionStep, Hindsight, Turn, WayRow

STEP = DecisionStep(
    event="turn end",
    waited_ms=160.4,
    chosen="fast",
    why="sure to keep 500 ms",
    predicted_ms={"fast": 310.0, "accurate": 900.0},
    predicted_p95_ms={"fast": 390.0, "accurate": 1500.0},
    quality={"fast": 0.4, "accurate": 0.9},
    price={"fast": 0.5, "accurate": 1.5},
    started=["fast"],
    aborted=["accurate"],
)
WAY = WayRow(path="fast", heard=True, ready_ms=390.5, said="Good morning.", tokens=14, audio_s=1.2, price=0.6)


def decided() -> Turn:
    decision = Decision(
        predicted_ms={"fast": 310.0},
        chosen="fast",
        why="the only seat",
        steps=[STEP],
        ways=[WAY],
        best=Hindsight(path="speculated", onset_ms=300, quality=0.7, regret=0.3),
    )
    return report().turns[0].model_copy(update={"decision": decision})


def text(turn: Turn) -> str:
    console = Console(file=io.StringIO(), width=120, color_system=None)
    for part in tell(turn):
        console.print(part)
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def test_the_turn_is_told_in_order() -> None:
    told = text(decided())
    assert "V2V    400 ms = endpoint 160 + asr 40 + decision 1 + model 90 + tts 60 + output 49" in told
    begins, over, audible = (
        told.index(words) for words in ("the caller begins", "taken for over", "is audible")
    )
    assert begins < over < audible
    assert "fast 310, 390" in told
    assert "begun: fast" in told
    assert "stopped: accurate" in told
    assert "In hindsight: prep, heard after 300 ms, quality 0.70; quality lost against it: 0.30" in told


def test_a_turn_without_a_decision_says_so() -> None:
    assert "No decision" in text(report().turns[4].model_copy(update={"decision": None}))


def test_turns_are_found_by_number_and_call() -> None:
    assert [turn.turn for turn in find(report(), 3, None)] == [3]
    assert find(report(), 3, "other") == []


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--turn", "99"), "Its turns are 0 to 4."),
        (("--call", "other"), "It holds demo."),
        (("--json", "x"), "only `--json -` is known"),
    ],
)
def test_what_is_not_there_is_named(
    args: tuple[str, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "report.json").write_text(report().to_json())
    assert run(["explain", str(tmp_path), *args]) == 2
    assert said in capsys.readouterr().err


def test_without_a_number_the_slowest_turn_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "report.json").write_text(report().to_json())
    assert run(["explain", str(tmp_path), "--json", "-"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert row["v2v_ms"] == max(turn.v2v_ms or -1 for turn in report().turns)
