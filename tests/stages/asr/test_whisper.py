from __future__ import annotations

import json

import numpy as np
import pytest

import stages.asr as package
from stages.asr.config import AsrConfig
from stages.asr.wer import normalise
from stages.asr.whisper import WhisperRecogniser, loudest_dbfs
from stages.audio.read import read_audio
from stages.errors import Aborted, EnvironmentFault, InputError

SILENCE = np.zeros(16_000, dtype=np.float32)


def made_noises() -> dict[str, np.ndarray]:
    rng, at = np.random.default_rng(0), np.arange(48_000) / 16_000
    sounds = {
        "white, quiet": 0.01 * rng.standard_normal(at.size),
        "white, loud": 0.1 * rng.standard_normal(at.size),
        "hum": 0.05 * np.sin(2 * np.pi * 50 * at) + 0.03 * np.sin(2 * np.pi * 150 * at),
        "dial tone": 0.2 * np.sin(2 * np.pi * 425 * at),
        "clicks": (rng.random(at.size) < 0.0003) * 0.5,
        "zeros": np.zeros(at.size),
    }
    return {name: sound.astype(np.float32) for name, sound in sounds.items()}


@pytest.fixture(scope="module")
def recogniser(model_dir):
    return WhisperRecogniser(model_dir("whisper-base"))


def load(path) -> np.ndarray:
    return read_audio(path, end_s=8.0).samples


def test_level_is_that_of_the_loudest_20_ms_without_its_offset():
    audio = SILENCE.copy()
    audio[3200:3520] = 0.1 * np.sign(np.sin(np.arange(320)))
    assert loudest_dbfs(audio) == pytest.approx(-20.0, abs=0.1)
    assert loudest_dbfs(SILENCE + np.float32(0.3)) == -120.0
    assert loudest_dbfs(SILENCE[:0]) == -120.0


def test_a_missing_file_of_the_model_is_named(tmp_path):
    with pytest.raises(EnvironmentFault, match=r"has no model\.bin"):
        WhisperRecogniser(tmp_path)


def test_a_broken_model_is_named(tmp_path):
    for name in ("model.bin", "config.json", "tokenizer.json"):
        (tmp_path / name).write_text("{}")
    with pytest.raises(EnvironmentFault, match="cannot be read"):
        WhisperRecogniser(tmp_path)


@pytest.mark.models
@pytest.mark.parametrize("name", made_noises())
def test_made_noise_gives_no_text(recogniser, name):
    heard = recogniser.transcribe(made_noises()[name])
    assert heard.text == ""
    assert heard.rejected is not None


@pytest.mark.models
def test_empty_audio_gives_no_text(recogniser):
    assert recogniser.transcribe(SILENCE[:0]).rejected == "too_quiet"


@pytest.mark.models
def test_audio_that_cannot_be_read_is_refused(recogniser):
    with pytest.raises(InputError, match=r"30 s at a time, not 31\.0 s"):
        recogniser.transcribe(np.zeros(31 * 16_000, dtype=np.float32))
    with pytest.raises(InputError, match="mono"):
        recogniser.transcribe(np.zeros((2, 100), dtype=np.float32))
    with pytest.raises(InputError, match="no numbers"):
        recogniser.transcribe(np.full(100, np.nan, dtype=np.float32))


@pytest.mark.models
@pytest.mark.parametrize(("asked", "steps"), [(1, 1), (2, 2)])
def test_abort_is_asked_before_both_steps_and_leaves_the_model_usable(recogniser, asked, steps):
    count = []

    def abort() -> bool:
        count.append(1)
        return len(count) == asked

    with pytest.raises(Aborted):
        recogniser.transcribe(made_noises()["hum"], abort=abort)
    assert len(count) == steps
    assert recogniser.transcribe(made_noises()["hum"]).text == ""


@pytest.mark.models
def test_an_unknown_language_is_refused(model_dir):
    with pytest.raises(InputError, match="no language 'qq'"):
        WhisperRecogniser(model_dir("whisper-base"), AsrConfig(language="qq"))
    with pytest.raises(InputError, match="English only"):
        WhisperRecogniser(model_dir("whisper-tiny.en"), AsrConfig(language="de"))


@pytest.mark.models
@pytest.mark.calls
@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("dograh_yes.m4a", "Yes."),
        ("dograh_nope.m4a", "Nope."),
        ("nodejs-docs-sa_today.wav", "Today"),
        ("nodejs-docs-sa_two_people.wav", "two people"),
        ("nodejs-docs-sa_book_a_room.wav", "book a room."),
        ("cognitive-serv_whatstheweatherlike-mulaw.wav", "What's the weather like?"),
        ("cognitive-serv_whatstheweatherlike.mp3", "What's the weather like?"),
    ],
)
def test_short_answers_are_kept(recogniser, calls_dir, file, text):
    # How a number is written and whether a full stop ends it hangs on the last bits of numpy's sums.
    heard = normalise(recogniser.transcribe(load(calls_dir / "utterances" / file)).text)
    assert ["two" if word == "2" else word for word in heard] == normalise(text)


@pytest.mark.models
@pytest.mark.calls
def test_recorded_noise_without_voices_gives_no_text(recogniser, calls_dir):
    index = json.loads((calls_dir / "noise" / "index.json").read_text())
    # Voices of other people, one of them under a label that says otherwise: no recogniser can tell them apart.
    files = [e["file"] for e in index if e["speech"] == "none" and "call-center" not in e["file"]]
    assert len(files) >= 10
    heard = {file: recogniser.transcribe(load(calls_dir / "noise" / file)).text for file in files}
    assert set(heard.values()) == {""}


@pytest.mark.models
def test_lines_of_the_package_run(model_dir, tmp_path, monkeypatch, run_lines):
    import soundfile

    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "whisper-base").symlink_to(model_dir("whisper-base"))
    soundfile.write("hello-16k.wav", SILENCE, 16_000)
    run_lines(package)


@pytest.mark.models
@pytest.mark.calls
def test_words_come_with_their_times_when_asked_for(recogniser, calls_dir):
    index = json.loads((calls_dir / "utterances" / "index.json").read_text())
    entry = next(e for e in index if e.get("text_checked") and len(e["text"].split()) >= 6)
    audio = load(calls_dir / "utterances" / entry["file"])
    heard = recogniser.transcribe(audio, words=True)
    assert " ".join(word.text for word in heard.words) == heard.text
    starts = [word.start_ms for word in heard.words]
    assert starts == sorted(starts)
    assert all(0.0 <= word.start_ms <= word.end_ms <= audio.size / 16.0 for word in heard.words)
    assert all(0.0 < word.confidence <= 1.0 for word in heard.words)
    assert recogniser.transcribe(audio).words == ()


@pytest.mark.models
def test_what_the_library_raises_is_a_fault_of_the_environment(recogniser, monkeypatch):
    def broken(*_args):
        raise RuntimeError("out of memory")

    monkeypatch.setattr(recogniser, "_encode", broken)
    with pytest.raises(EnvironmentFault, match="out of memory"):
        recogniser.transcribe(0.1 * np.sin(np.arange(16_000, dtype=np.float32)))
