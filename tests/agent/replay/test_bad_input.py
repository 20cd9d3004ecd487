"""What a person may do wrong: one clear line with the way out, the right exit code, no traceback."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile as sf

from .conftest import Run


def check(result: tuple[int, str, str], code: int, *words: str) -> None:
    exit_code, _, err = result
    assert exit_code == code, err
    assert "Traceback" not in err
    for word in words:
        assert word in err


def test_a_file_that_is_not_there(run_main: Run, tmp_path: Path) -> None:
    check(run_main("replay", str(tmp_path / "gone.wav"), "--out", str(tmp_path)), 2, "gone.wav")


def test_a_file_that_is_no_audio(run_main: Run, tmp_path: Path) -> None:
    (tmp_path / "letter.wav").write_text("Dear Sir or Madam")
    check(run_main("replay", str(tmp_path / "letter.wav"), "--out", str(tmp_path)), 2, "letter.wav")


def test_an_empty_file(run_main: Run, tmp_path: Path) -> None:
    (tmp_path / "empty.wav").touch()
    check(run_main("replay", str(tmp_path / "empty.wav"), "--out", str(tmp_path)), 2, "empty.wav", "empty")


def test_a_stereo_recording_without_a_channel(run_main: Run, tmp_path: Path) -> None:
    sf.write(tmp_path / "two.wav", np.zeros((16_000, 2)), 16_000)
    check(run_main("replay", str(tmp_path / "two.wav"), "--out", str(tmp_path)), 2, "--caller-channel")


def test_a_recording_without_speech(run_main: Run, tmp_path: Path) -> None:
    sf.write(tmp_path / "still.wav", np.zeros(32_000), 16_000)
    check(
        run_main("replay", str(tmp_path / "still.wav"), "--out", str(tmp_path)), 2, "still.wav", "no speech"
    )


def test_a_wrong_key(run_main: Run, short_call: Path, tmp_path: Path) -> None:
    result = run_main("replay", str(short_call), "--out", str(tmp_path), "--set", "asr.thread=1")
    check(result, 2, "asr.thread", "threads")


def test_models_that_are_not_there(run_main: Run, short_call: Path, tmp_path: Path) -> None:
    result = run_main("replay", str(short_call), "--out", str(tmp_path), BUDGIE_MODELS=str(tmp_path / "none"))
    check(result, 3, "models pull")


def test_an_output_folder_that_is_a_file(run_main: Run, short_call: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    check(run_main("replay", str(short_call), "--out", str(tmp_path / "taken")), 3, "taken")


@pytest.mark.parametrize("word", ["report.json", "yes"])
def test_json_goes_to_stdout_only(run_main: Run, short_call: Path, word: str) -> None:
    check(run_main("replay", str(short_call), "--json", word), 2, "--json -")


def test_a_gate_is_read_before_anything_else(run_main: Run, tmp_path: Path) -> None:
    result = run_main("replay", str(tmp_path / "gone.wav"), "--gate", "v2v_95<=500")
    check(result, 2, "there is no figure `v2v_95`", "`v2v_p95`")


def test_verdicts_without_a_gate(run_main: Run, short_call: Path, tmp_path: Path) -> None:
    check(run_main("replay", str(short_call), "--junit", str(tmp_path / "x.xml")), 2, "--gate")


def test_a_folder_without_calls(run_main: Run, tmp_path: Path) -> None:
    check(run_main("replay", str(tmp_path), "--out", str(tmp_path / "out")), 2, "holds no call", ".call.json")


def test_a_folder_beside_files(run_main: Run, short_call: Path, tmp_path: Path) -> None:
    check(run_main("replay", str(tmp_path), str(short_call)), 2, "one folder")
    check(run_main("replay", str(short_call), str(tmp_path)), 2, "one folder")
