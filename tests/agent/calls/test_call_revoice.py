"""Human dialogues spoken by synthetic voices, with the humans' timing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import soundfile as sf

from agent.calls.compose import Sound
from agent.calls.load import load_call
from agent.calls.make import Voices, default_voices
from agent.calls.revoice import revoice
from agent.calls.script import Noise
from stages.errors import InputError

from .conftest import ToneVoice

TONES = Voices(ToneVoice(), ToneVoice())


def dialogue(tmp_path: Path, *segments: tuple[str, float, float, str], **keys: Any) -> Path:
    path = tmp_path / "d.json"
    names = ("role", "start_s", "end_s", "text")
    rows = [dict(zip(names, one, strict=True)) for one in segments]
    path.write_text(
        json.dumps({"name": "d", "segments": rows, "source": "a corpus", "licence": "MIT"} | keys)
    )
    return path


def test_a_dialogue_keeps_its_starts_and_nearly_its_lengths(tmp_path: Path) -> None:
    path = dialogue(
        tmp_path,
        ("agent", 0.5, 1.5, "aaaaa"),  # 0.5 s at pace 1
        ("caller", 2.0, 2.4, "bbbb"),
        ("agent", 2.2, 2.45, "cccccccccc"),  # 1 s at pace 1, 0.5 s at the fastest
        ("caller", 4.0, 9.0, "dddddddddd"),  # 2 s at the slowest
    )
    call = revoice(path, tmp_path / "out" / "d", TONES)
    assert [(one.start_s, one.seconds, one.speed, one.wanted_s) for one in call.turns] == [
        (0.5, pytest.approx(1.0, abs=0.01), 0.5, 1.0),
        (2.0, pytest.approx(0.4, abs=0.01), 1.0, 0.4),
        (2.2, pytest.approx(0.5, abs=0.01), 2.0, 0.25),
        (4.0, pytest.approx(2.0, abs=0.01), 0.5, 5.0),
    ]
    assert (call.synthetic, call.source, call.licence) == (True, "a corpus", "MIT")
    assert load_call(tmp_path / "out" / "d.call.json").turns[0].agent_next_s == pytest.approx(2.2)


def test_a_text_that_does_not_fit_is_cut_before_the_next(tmp_path: Path) -> None:
    path = dialogue(tmp_path, ("caller", 1.0, 1.4, "a" * 20), ("caller", 1.5, 2.0, "bbbbb"))
    call = revoice(path, tmp_path / "d", TONES)
    assert call.turns[0].end_s == 1.45
    assert load_call(tmp_path / "d.call.json").turns[0].holds[0].seconds == pytest.approx(0.05)


def test_a_dialogue_over_a_telephone_with_noise(tmp_path: Path) -> None:
    path = dialogue(tmp_path, ("caller", 1.0, 2.0, "aaaaaaaaaa"))
    revoice(path, tmp_path / "d", TONES, sound=Sound(band="telephone", noise=Noise(kind="hum", snr_db=20)))
    assert sf.info(tmp_path / "d.wav").samplerate == 8_000


@pytest.mark.parametrize(
    ("segments", "words"),
    [
        ([("caller", 2.0, 1.0, "a")], "segments[0] (caller, 2 to 1 s) runs backwards"),
        ([("caller", 1.0, 2.0, " ")], "the segment at 1 s has no words."),
        ([], "`segments`: tuple should have at least 1 item"),
    ],
)
def test_a_wrong_dialogue_is_answered_in_one_line(
    tmp_path: Path, segments: list[tuple[str, float, float, str]], words: str
) -> None:
    path = dialogue(tmp_path, *segments)
    with pytest.raises(InputError) as caught:
        revoice(path, tmp_path / "out" / "d", TONES)
    assert words in str(caught.value)


@pytest.mark.calls
def test_recorded_dialogues_are_spoken_with_their_timing(calls_dir: Path, tmp_path: Path) -> None:
    paths = sorted((calls_dir / "dialogues").glob("*.json"))
    voices = default_voices(1)
    near = []
    for path in paths[:6]:
        segments = json.loads(path.read_text())["segments"]
        call = revoice(path, tmp_path / path.stem, voices)
        assert [one.start_s for one in call.turns] == pytest.approx(
            [one["start_s"] for one in segments], abs=1e-4
        )
        near += [abs(one.seconds - (one.wanted_s or 0)) <= 0.1 for one in call.turns]
        assert load_call(tmp_path / f"{path.stem}.call.json").call.synthetic
    assert sum(near) / len(near) >= 0.6
