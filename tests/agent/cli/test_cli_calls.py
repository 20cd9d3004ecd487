"""``calls`` as a user meets it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile as sf

from agent.calls.make import default_voices, make_call
from agent.cli.app import run

ROOT = Path(__file__).resolve().parents[3]
DEMO = ROOT / "configs" / "calls" / "demo.yaml"

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def calls(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """Runs ``calls ...`` and gives its exit code, stdout and stderr."""
    monkeypatch.setenv("COLUMNS", "160")

    def command(*args: object) -> tuple[int, str, str]:
        code = run(["calls", *map(str, args)])
        out = capfd.readouterr()
        return code, out.out, out.err

    return command


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    make_call(DEMO, folder / "demo", default_voices(7))
    return folder


@pytest.fixture
def demo(made: Path, tmp_path: Path) -> Path:
    """The demo call in a folder of its own."""
    for name in ("demo.wav", "demo.call.json"):
        shutil.copy(made / name, tmp_path / name)
    return tmp_path / "demo.call.json"


def test_make_speaks_the_demo_and_says_what_it_wrote(calls: Command, tmp_path: Path) -> None:
    code, out, err = calls("make", DEMO, "--out", tmp_path / "new" / "demo.wav")
    assert code == 0
    assert "made, both voices are synthetic" in out
    assert "9 caller turns, 3 holds, 9 shifts" in out
    assert "labels from the call's making: exact" in out
    assert f"wrote {tmp_path / 'new' / 'demo.call.json'}" in err
    assert sf.info(tmp_path / "new" / "demo.wav").channels == 2


def test_show_prints_one_document_on_the_last_line(calls: Command, demo: Path) -> None:
    code, out, err = calls("show", demo, "--json", "-")
    document = json.loads(out.splitlines()[-1])
    assert code == 0
    assert (document["call"], document["synthetic"], document["speech_end_source"]) == (
        "demo",
        True,
        "labels",
    )
    assert [len(turn["holds"]) for turn in document["turns"]] == [0, 1, 0, 1, 0, 0, 1, 0, 0]
    assert document["turns"][1]["agent_before"] == ["On Saturdays we are open from ten to two."]
    assert "shift" in err


def test_show_writes_the_document_into_a_file(calls: Command, demo: Path, tmp_path: Path) -> None:
    assert calls("show", demo, "--json", tmp_path / "x.json")[0] == 0
    assert json.loads((tmp_path / "x.json").read_text())["schema"] == 1


def test_label_finds_the_turns_that_were_made(calls: Command, demo: Path, tmp_path: Path) -> None:
    target = tmp_path / "found.call.json"
    code, out, err = calls("label", tmp_path / "demo.wav", "--caller-channel", 0, "--out", target)
    assert (code, f"wrote {target}" in err) == (0, True)
    assert "labels from the offline pass" in out
    made = json.loads(calls("show", demo, "--json", "-")[1].splitlines()[-1])["turns"]
    found = json.loads(calls("show", target, "--json", "-")[1].splitlines()[-1])["turns"]
    assert [one["speech_end_s"] for one in found] == pytest.approx(
        [one["speech_end_s"] for one in made], abs=0.02
    )


def test_label_writes_beside_the_recording(calls: Command, demo: Path, tmp_path: Path) -> None:
    (tmp_path / "x.wav").write_bytes((tmp_path / "demo.wav").read_bytes())
    assert calls("label", tmp_path / "x.wav", "--caller-channel", 0)[0] == 0
    assert (tmp_path / "x.call.json").is_file()


def test_label_overwrites_no_labels_unasked(calls: Command, demo: Path) -> None:
    code, _, err = calls("label", demo)
    assert code == 2
    assert "would be overwritten" in err
    assert "--out NEW.call.json" in err


def test_revoice_says_how_well_the_timing_fits(calls: Command, tmp_path: Path) -> None:
    segments = [{"role": "caller", "start_s": 0.5, "end_s": 1.6, "text": "when are you open"}]
    (tmp_path / "d.json").write_text(json.dumps({"name": "d", "segments": segments}))
    code, _, err = calls("revoice", tmp_path / "d.json", "--out", tmp_path / "d")
    assert code == 0
    assert "1 of 1 segments are within 0.1 s of the human's length" in err


def test_a_stereo_recording_without_a_channel_is_a_usage_error(calls: Command, demo: Path) -> None:
    code, out, err = calls("show", demo.with_name("demo.wav"))
    assert (code, out) == (2, "")
    assert "has 2 channels (0 to 1)" in err
    assert "--caller-channel 0" in err


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("show", "gone.wav"), "gone.wav does not exist."),
        (("show", "."), ". is a directory."),
        (("show", "gone.call.json"), "gone.call.json cannot be read: No such file or directory."),
        (("make", "gone.yaml", "--out", "x"), "gone.yaml cannot be read: No such file or directory."),
        (("revoice", "gone.json", "--out", "x"), "gone.json cannot be read: No such file or directory."),
        (("label", "gone.wav"), "gone.wav does not exist."),
    ],
)
def test_a_missing_file_is_one_line_and_exit_2(calls: Command, args: tuple[str, ...], words: str) -> None:
    code, out, err = calls(*args)
    assert (code, out) == (2, "")
    assert words in err
    assert "Traceback" not in err


def test_a_folder_that_cannot_be_written_is_exit_3(calls: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    code, _, err = calls("make", DEMO, "--out", tmp_path / "file" / "demo")
    assert code == 3
    assert "cannot be written" in err


def test_a_model_that_is_not_there_is_exit_3(
    calls: Command, demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BUDGIE_MODELS", str(demo.parent / "none"))
    code, _, err = calls("make", DEMO, "--out", demo.parent / "x", "--agent-voice", "piper-joe")
    assert code == 3
    assert "piper-joe" in err


def test_silence_is_said_to_be_silence(calls: Command, tmp_path: Path) -> None:
    sf.write(tmp_path / "a.wav", np.zeros(16_000, np.float32), 16_000)
    code, _, err = calls("show", tmp_path / "a.wav")
    assert code == 2
    assert "holds no speech of the caller" in err
