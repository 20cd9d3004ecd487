from __future__ import annotations

import numpy as np
import pytest

import stages.tts as package
from stages.errors import EnvironmentFault, InputError
from stages.tts.config import TtsConfig
from stages.tts.piper_voice import PiperVoice


@pytest.fixture(scope="module")
def path(model_dir):
    return next(model_dir("piper-joe").glob("*.onnx"))


@pytest.fixture(scope="module")
def voice(path):
    return PiperVoice(path, TtsConfig(joint_ms=60.0))


def audible(audio: np.ndarray, rate_hz: int) -> np.ndarray:
    """Start of each 2 ms window at or above -45 dBFS, in ms."""
    window = round(0.002 * rate_hz)
    frames = audio[: audio.size // window * window].reshape(-1, window)
    return np.flatnonzero(np.sqrt(np.square(frames).mean(axis=1)) >= 10 ** (-45 / 20)) * 2


def test_missing_and_broken_voices_are_named(tmp_path):
    with pytest.raises(EnvironmentFault, match=r"No voice description at .*none\.onnx\.json"):
        PiperVoice(tmp_path / "none.onnx")
    (tmp_path / "odd.onnx.json").write_text("[1]")
    (tmp_path / "odd.onnx").write_bytes(b"no model")
    with pytest.raises(EnvironmentFault, match=r"odd\.onnx is not a model"):
        PiperVoice(tmp_path / "odd.onnx")


@pytest.mark.models
def test_a_broken_description_is_named(path, tmp_path):
    (tmp_path / "joe.onnx").symlink_to(path)
    (tmp_path / "joe.onnx.json").write_text('{"audio": 5}')
    with pytest.raises(EnvironmentFault, match=r"joe\.onnx\.json is no description"):
        PiperVoice(tmp_path / "joe.onnx")


@pytest.mark.models
@pytest.mark.parametrize("text", ["Sure.", "Yes, I can help with that.", "Call 555 0142."])
def test_a_piece_starts_at_once_and_ends_with_the_joint(voice, text):
    said = voice.speak(text)
    heard = audible(said, voice.rate_hz)
    assert said.dtype == np.float32
    assert heard[0] <= 5
    assert 50 <= said.size * 1000 / voice.rate_hz - heard[-1] <= 70
    assert np.abs(said).max() <= 0.95


@pytest.mark.models
def test_pieces_are_alike_in_loudness(voice):
    def loudness(text: str) -> float:
        said = voice.speak(text)
        spans = said[: said.size // 441 * 441].reshape(-1, 441)
        power = np.square(spans).mean(axis=1)
        return float(10 * np.log10(power[power > power.max() / 1000].mean()))

    levels = [loudness(text) for text in ("Sure.", "Okay,", "The branch in Main Street opens at nine.")]
    assert max(levels) - min(levels) < 3.0


@pytest.mark.models
@pytest.mark.parametrize("text", ["", "  ", "😀", "...", "---", "```x```"])
def test_nothing_to_say_is_no_audio(voice, text):
    assert voice.speak(text).size == 0


@pytest.mark.models
def test_too_long_a_text_is_refused(voice):
    with pytest.raises(InputError, match="1001 characters"):
        voice.speak("x" * 1001)


@pytest.mark.models
def test_speed_shortens_the_piece(path, voice):
    text = "The branch in Main Street opens at nine in the morning."
    fast = PiperVoice(path, TtsConfig(joint_ms=60.0, speed=2.0))
    assert 0.4 < fast.speak(text).size / voice.speak(text).size < 0.7


@pytest.mark.models
def test_lines_of_the_package_run(path, tmp_path, monkeypatch, run_lines):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir()
    for suffix in ("", ".json"):
        (tmp_path / "models" / f"en_US-joe-medium.onnx{suffix}").symlink_to(
            path.with_name(path.name + suffix)
        )
    run_lines(package)
    assert (tmp_path / "hello.wav").stat().st_size > 20_000
