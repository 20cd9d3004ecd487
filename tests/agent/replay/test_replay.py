"""The main job with the real models: a call in, an honest report out."""

from __future__ import annotations

import json
import shutil
import signal
import time
from pathlib import Path

import pytest
import soundfile as sf

from agent.report.schema import Report
from agent.report.write import read_turns

from .conftest import Run, main_py

pytestmark = pytest.mark.models


def test_a_made_call_is_heard_answered_and_measured(run_main: Run, short_call: Path, tmp_path: Path) -> None:
    spans = tmp_path / "spans.jsonl"
    told = ("--set", f"telemetry.traces={spans}", "--set", "telemetry.text=redacted")
    code, out, err = run_main("replay", str(short_call), "--out", str(tmp_path), "--json", "-", *told)
    assert code == 0, err
    report = Report.model_validate_json(out.splitlines()[-1])
    assert (
        json.loads((tmp_path / "report.json").read_text())["turns"]
        == json.loads(out.splitlines()[-1])["turns"]
    )
    assert report.calls[0].synthetic
    assert [turn.turn for turn in report.turns] == [0, 1, 2]
    assert "saturday" in report.turns[0].heard.lower()
    assert "branch" in report.turns[1].heard.lower()
    for turn in report.turns:
        assert turn.said
        if turn.v2v_ms is not None and turn.parts_ms is not None:
            assert sum(turn.parts_ms.model_dump().values()) == turn.v2v_ms
    assert read_turns(tmp_path / "turns.jsonl") == report.turns
    lines = [json.loads(line) for line in spans.read_text().splitlines()]
    v2v = [line["attributes"].get("budgie.v2v_ms") for line in lines if line["name"] == "turn"]
    assert v2v == [turn.v2v_ms for turn in report.turns]
    assert lines[-1]["name"] == "conversation"
    info = sf.info(tmp_path / "call.wav")
    assert info.channels == 2
    assert info.duration >= report.calls[0].seconds
    heard, _ = sf.read(tmp_path / "call.wav")
    assert abs(heard[:, 1]).max() > 0.05


def test_ctrl_c_half_way_keeps_every_finished_turn(short_call: Path, tmp_path: Path) -> None:
    process = main_py("replay", str(short_call), "--out", str(tmp_path))
    log = tmp_path / "turns.jsonl"
    until = time.monotonic() + 60
    while not (log.exists() and log.stat().st_size) and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    report = Report.model_validate_json((tmp_path / "report.json").read_text())
    assert 1 <= len(report.turns) < 3
    assert read_turns(log) == report.turns
    assert (tmp_path / "call.wav").exists()


def test_a_second_ctrl_c_ends_at_once_and_finished_turns_are_on_disk(
    short_call: Path, tmp_path: Path
) -> None:
    process = main_py("replay", str(short_call), "--out", str(tmp_path))
    log = tmp_path / "turns.jsonl"
    until = time.monotonic() + 60
    while not (log.exists() and log.stat().st_size) and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=10)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert len(read_turns(log)) >= 1


def test_a_folder_goes_on_where_ctrl_c_stopped_it(run_main: Run, short_call: Path, tmp_path: Path) -> None:
    folder, out = tmp_path / "calls", tmp_path / "out"
    folder.mkdir()
    label = json.loads(short_call.read_text())
    for name in ("one", "two"):
        (folder / f"{name}.call.json").write_text(json.dumps(label | {"name": name}))
    for audio in short_call.parent.glob("*.wav"):
        shutil.copy(audio, folder)
    process = main_py("replay", str(folder), "--out", str(out))
    until = time.monotonic() + 120
    while not (out / "calls" / "one.json").exists() and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130
    first = Report.model_validate_json((out / "report.json").read_text())
    code, stdout, err = run_main(
        "replay", str(folder), "--out", str(out), "--json", "-", "--gate", "missed<=1"
    )
    assert code == 0, err
    assert "1 calls to replay, 1 have their result already" in " ".join(err.split())
    assert "gate kept   missed<=1" in err
    whole = Report.model_validate_json(stdout.splitlines()[-1])
    assert [call.recording for call in whole.calls] == ["one.wav", "two.wav"]
    assert len(whole.turns) == 6
    assert whole.turns[:3] == [turn for turn in first.turns if turn.call == "one"]
    assert (out / "report.html").exists()


def test_a_gate_that_is_not_kept_ends_with_1(run_main: Run, short_call: Path, tmp_path: Path) -> None:
    junit = tmp_path / "ci" / "gate.xml"
    options = ("--gate", "v2v_p50<=1,missed<=1", "--junit", str(junit))
    code, _, err = run_main("replay", str(short_call), "--out", str(tmp_path), *options)
    assert code == 1, err
    assert err.splitlines()[-1].startswith("error: the gate failed: v2v_p50<=1: ")
    assert 'failures="1"' in junit.read_text()


@pytest.mark.calls
def test_every_turn_of_a_real_call_is_answered_or_explained(
    run_main: Run, calls_dir: Path, tmp_path: Path
) -> None:
    call = calls_dir / "two_party" / "genesys_store.call.json"
    code, out, err = run_main("replay", str(call), "--out", str(tmp_path), "--json", "-")
    assert code == 0, err
    report = Report.model_validate_json(out.splitlines()[-1])
    assert len(report.turns) == report.calls[0].labelled_turns == 6
    for turn in report.turns:
        assert turn.v2v_ms is not None or turn.missed or turn.overtaken or turn.cut_in
        assert turn.heard
    assert not [failure for failure in report.failures if failure.code == "stage"]
