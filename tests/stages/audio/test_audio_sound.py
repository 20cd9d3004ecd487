"""Resampling, the telephone, noise and writing."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import soundfile as sf
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.audio.level import active_dbfs, dbfs
from stages.audio.mix import at_level, hum, mix_at_snr, white_noise
from stages.audio.resample import Resampler, resample
from stages.audio.telephone import mulaw_decode, mulaw_encode, telephone_band
from stages.audio.write import write_wav
from stages.errors import EnvironmentFault, InputError

RATES = st.sampled_from([8_000, 11_025, 16_000, 22_050, 24_000, 44_100, 48_000, 96_000])


def tone(hz: float, seconds: float = 1.0, rate_hz: int = 16_000) -> np.ndarray:
    return (0.5 * np.sin(2 * np.pi * hz * np.arange(round(seconds * rate_hz)) / rate_hz)).astype(np.float32)


@given(samples=st.integers(1, 20_000), from_hz=RATES, to_hz=RATES)
@settings(deadline=None)
def test_resampled_length(samples: int, from_hz: int, to_hz: int) -> None:
    assert abs(len(resample(np.zeros(samples, np.float32), from_hz, to_hz)) - samples * to_hz / from_hz) <= 1


@given(cuts=st.lists(st.integers(1, 5_000), min_size=1, max_size=12), from_hz=RATES, to_hz=RATES)
@settings(deadline=None)
def test_blocks_of_any_size_give_what_one_go_gives(cuts: list[int], from_hz: int, to_hz: int) -> None:
    audio = white_noise(sum(cuts), seed=1)
    stream = Resampler(from_hz, to_hz)
    at = np.cumsum([0, *cuts])
    blocks = [stream.push(audio[a:b]) for a, b in pairwise(at)]
    whole = np.concatenate([*blocks, stream.push(np.zeros(0, np.float32), last=True)])
    once = resample(audio, from_hz, to_hz)
    assert len(whole) == len(once)
    np.testing.assert_allclose(whole, once, atol=2e-4)


def test_mulaw_is_what_libsndfile_writes(tmp_path: Path) -> None:
    audio = np.concatenate(
        [white_noise(20_000, seed=3) * 3, tone(300), np.array([0, 1, -1, 2, -2], np.float32)]
    )
    path = tmp_path / "u.raw"
    sf.write(path, np.clip(audio, -1, 1), 8_000, format="RAW", subtype="ULAW")
    theirs, _ = sf.read(path, format="RAW", subtype="ULAW", channels=1, samplerate=8_000, dtype="float32")
    # Each rounds to a neighbouring step at most.
    steps = np.abs(mulaw_decode(mulaw_encode(audio)) - theirs) / np.maximum(np.abs(theirs), 1 / 64)
    assert float(steps.max()) < 0.07
    codes = np.frombuffer(path.read_bytes(), np.uint8)
    np.testing.assert_allclose(mulaw_decode(codes), theirs, atol=1e-6)


def test_mulaw_keeps_every_code() -> None:
    codes = np.arange(256, dtype=np.uint8)
    again = mulaw_encode(mulaw_decode(codes))
    assert set(np.flatnonzero(again != codes)) <= {0x7F}  # minus zero is written as plus zero


def test_the_telephone_passes_speech_and_stops_the_rest() -> None:
    def passed(hz: float) -> float:
        return dbfs(telephone_band(tone(hz), 16_000)[1_000:-1_000]) - dbfs(tone(hz))

    assert [round(passed(hz), 1) for hz in (500, 1_000, 3_000)] == [0.0, 0.0, 0.0]
    assert max(passed(50), passed(3_900), passed(6_000)) < -30


def test_the_telephone_shifts_nothing_in_time() -> None:
    click = np.zeros(16_000, np.float32)
    click[8_000] = 1.0
    narrow = telephone_band(click, 16_000)
    assert len(narrow) == 8_000
    assert int(np.abs(narrow).argmax()) == 4_000


@pytest.mark.parametrize("snr_db", [-5.0, 0.0, 12.5, 40.0])
def test_noise_lies_as_far_below_the_speech_as_asked(snr_db: float) -> None:
    speech = np.concatenate([np.zeros(16_000, np.float32), tone(300), np.zeros(16_000, np.float32)])
    added = mix_at_snr(speech, hum(5_000, 16_000), snr_db, 16_000) - speech
    assert active_dbfs(speech, 16_000) - dbfs(added) == pytest.approx(snr_db, abs=0.01)


def test_silence_has_no_ratio() -> None:
    with pytest.raises(InputError, match="no signal-to-noise ratio"):
        mix_at_snr(tone(300), np.zeros(100, np.float32), 10, 16_000)
    with pytest.raises(InputError, match="no signal-to-noise ratio"):
        mix_at_snr(tone(300), np.zeros(0, np.float32), 10, 16_000)


def test_level_is_set_and_silence_left_alone() -> None:
    assert active_dbfs(at_level(tone(300), 16_000, -33.0), 16_000) == pytest.approx(-33.0, abs=1e-4)
    assert not at_level(np.zeros(100, np.float32), 16_000, -33.0).any()


def test_noise_is_the_same_for_the_same_seed() -> None:
    np.testing.assert_array_equal(white_noise(100, 4), white_noise(100, 4))
    assert (white_noise(100, 4) != white_noise(100, 5)).any()


@given(samples=st.integers(1, 2_000), channels=st.integers(1, 3))
@settings(deadline=None, max_examples=25)
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, samples: int, channels: int
) -> None:
    path = tmp_path_factory.mktemp("w") / "new" / "a.wav"
    audio = white_noise(samples * channels, 2).reshape(samples, channels)
    write_wav(path, audio, 16_000)
    again, rate_hz = sf.read(path, dtype="float32", always_2d=True)
    assert rate_hz == 16_000
    np.testing.assert_allclose(again, np.clip(audio, -1, 1), atol=1e-4)
    assert [item.name for item in path.parent.iterdir()] == ["a.wav"]


def test_a_failed_write_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.wav"
    write_wav(path, tone(300), 16_000)
    before = path.read_bytes()

    def full(file: Path, *_args: object, **_kwargs: object) -> None:
        Path(file).write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(sf, "write", full)
    with pytest.raises(EnvironmentFault, match="No space left on device") as caught:
        write_wav(path, tone(500), 16_000)
    assert caught.value.exit_code == 3
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_numbers_that_are_none_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        write_wav(tmp_path / "a.wav", np.array([np.nan], np.float32), 16_000)
    assert not list(tmp_path.iterdir())
