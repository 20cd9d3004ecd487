"""Files of every kind, and every way in which a file can be wrong."""

from __future__ import annotations

import struct
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import soundfile as sf
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.audio.read import channels_of, read_audio
from stages.errors import InputError

TONE_HZ = 440


def tone(seconds: float, rate_hz: int, hz: float = TONE_HZ) -> np.ndarray:
    return (0.5 * np.sin(2 * np.pi * hz * np.arange(round(seconds * rate_hz)) / rate_hz)).astype(np.float32)


def wav(path: Path, audio: np.ndarray, rate_hz: int = 16_000, subtype: str = "PCM_16") -> Path:
    sf.write(path, audio, rate_hz, subtype=subtype)
    return path


def fault(path: Path, **kwargs: object) -> InputError:
    with pytest.raises(InputError) as caught:
        read_audio(path, **kwargs)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    return caught.value


@pytest.mark.parametrize(
    "subtype", ["PCM_U8", "PCM_16", "PCM_24", "PCM_32", "FLOAT", "DOUBLE", "ULAW", "ALAW"]
)
@pytest.mark.parametrize("rate_hz", [8_000, 11_025, 16_000, 22_050, 44_100, 48_000, 96_000])
def test_every_encoding_and_rate_gives_the_same_sound(tmp_path: Path, subtype: str, rate_hz: int) -> None:
    recording = read_audio(wav(tmp_path / "a.wav", tone(1.0, rate_hz), rate_hz, subtype))
    assert (recording.source_rate_hz, recording.channels, recording.rate_hz) == (rate_hz, 1, 16_000)
    assert recording.samples.dtype == np.float32
    assert len(recording.samples) == 16_000
    inner = slice(800, -800)  # the resampler's edges
    error = recording.samples[inner] - tone(1.0, 16_000)[inner]
    coarse = {"PCM_U8": 0.012, "ULAW": 0.02, "ALAW": 0.02}
    assert float(np.abs(error).max()) < coarse.get(subtype, 0.001)


@given(
    seconds=st.floats(0.05, 3.0),
    rate_hz=st.integers(8_000, 96_000),
    to_hz=st.sampled_from([8_000, 16_000, 24_000]),
)
@settings(max_examples=40, deadline=None)
def test_length_is_samples_over_rate(
    tmp_path_factory: pytest.TempPathFactory, seconds: float, rate_hz: int, to_hz: int
) -> None:
    samples = round(seconds * rate_hz)
    path = wav(tmp_path_factory.mktemp("len") / "a.wav", np.zeros(samples, np.float32), rate_hz)
    assert abs(len(read_audio(path, rate_hz=to_hz).samples) - samples * to_hz / rate_hz) <= 1


def test_channels_are_told_apart_and_mixed_when_none_is_named(tmp_path: Path) -> None:
    left, right = tone(0.5, 16_000, 300), tone(0.5, 16_000, 800)
    path = wav(tmp_path / "two.wav", np.stack([left, right], axis=1))
    assert channels_of(path) == 2
    np.testing.assert_allclose(read_audio(path, channel=0).samples, left, atol=1e-4)
    np.testing.assert_allclose(read_audio(path, channel=1).samples, right, atol=1e-4)
    np.testing.assert_allclose(read_audio(path).samples, (left + right) / 2, atol=1e-4)


@pytest.mark.parametrize(
    ("container", "codec"),
    [("mp4", "aac"), ("webm", "libopus"), ("wav", "pcm_mulaw"), ("mp3", "mp3"), ("flac", "flac")],
)
def test_what_ffmpeg_reads_is_read(tmp_path: Path, container: str, codec: str) -> None:
    path = tmp_path / f"a.{container}"
    encode(path, container, codec, tone(2.0, 48_000))
    recording = read_audio(path)
    assert recording.seconds == pytest.approx(2.0, abs=0.04)
    spectrum = np.abs(np.fft.rfft(recording.samples[8_000:24_000]))
    assert int(spectrum.argmax()) == TONE_HZ


def encode(path: Path, container: str, codec: str, audio: np.ndarray) -> None:
    import av

    with av.open(str(path), "w", format=container) as out:
        stream = out.add_stream(codec, rate=48_000, layout="mono")
        frame = av.AudioFrame.from_ndarray(
            (audio * 32767).astype(np.int16)[None], format="s16", layout="mono"
        )
        frame.sample_rate = 48_000
        for packet in [*stream.encode(frame), *stream.encode(None)]:
            out.mux(packet)


def test_a_part_is_read_from_its_start_to_its_end(tmp_path: Path) -> None:
    audio = tone(2.0, 16_000)
    path = wav(tmp_path / "a.wav", audio)
    part = read_audio(path, start_s=0.5, end_s=1.25).samples
    np.testing.assert_allclose(part, audio[8_000:20_000], atol=1e-4)
    assert len(read_audio(path, start_s=1.5, end_s=99).samples) == 8_000
    assert fault(path, start_s=2.5).code == "audio.span"
    assert fault(path, start_s=1.0, end_s=1.0).code == "audio.span"
    assert fault(path, start_s=float("nan")).code == "audio.span"


def test_a_part_of_an_ffmpeg_file_starts_where_asked(tmp_path: Path) -> None:
    path = tmp_path / "a.mp4"
    encode(path, "mp4", "aac", np.concatenate([np.zeros(48_000, np.float32), tone(1.0, 48_000)]))
    part = read_audio(path, start_s=1.1, end_s=1.9).samples
    assert len(part) == 12_800
    assert float(np.abs(part).mean()) > 0.25


def test_missing_directory_and_empty(tmp_path: Path) -> None:
    assert str(fault(tmp_path / "no.wav")) == f"{tmp_path / 'no.wav'} does not exist. Check the path."
    assert fault(tmp_path).code == "audio.directory"
    empty = tmp_path / "empty.wav"
    empty.touch()
    assert str(fault(empty)) == f"{empty} is empty (0 bytes). Record or copy it again."


def test_no_samples_in_a_right_header(tmp_path: Path) -> None:
    error = fault(wav(tmp_path / "zero.wav", np.zeros(0, np.float32)))
    assert (error.code, error.exit_code) == ("audio.empty", 2)


@pytest.mark.parametrize(
    "content", [b"hello, this is no sound", b"\x00" * 5000, b"%PDF-1.7 " + b"x" * 4000, b"RIFF"]
)
def test_not_audio(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(content)
    assert fault(path).code == "audio.format"


@pytest.mark.parametrize("keep", [20, 30, 43, 1_000, 31_999])
def test_a_cut_off_wav_is_an_error(tmp_path: Path, keep: int) -> None:
    path = wav(tmp_path / "a.wav", tone(1.0, 16_000))
    path.write_bytes(path.read_bytes()[:keep])
    assert fault(path).code == "audio.truncated"


def test_a_cut_off_wav_says_by_how_much(tmp_path: Path) -> None:
    path = wav(tmp_path / "a.wav", tone(1.0, 16_000))
    path.write_bytes(path.read_bytes()[: 44 + 10_000])
    assert str(fault(path)) == (
        f"{path} is cut off: its header promises 32000 bytes of audio, the file holds 10000. Copy or record it again."
    )


@pytest.mark.parametrize(("name", "form"), [("a.flac", "FLAC"), ("a.mp3", "MP3")])
def test_a_cut_off_compressed_file_is_an_error(tmp_path: Path, name: str, form: str) -> None:
    path = tmp_path / name
    noise = 0.3 * np.random.default_rng(1).standard_normal(5 * 16_000).astype(np.float32)
    sf.write(path, noise, 16_000, format=form)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 3])
    assert fault(path).code in ("audio.truncated", "audio.damaged")


@pytest.mark.parametrize("share", [0.3, 0.9])
def test_a_cut_off_m4a_is_an_error(tmp_path: Path, share: float) -> None:
    path = tmp_path / "a.mp4"
    encode(path, "mp4", "aac", tone(3.0, 48_000))
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
    assert fault(path).code in ("audio.truncated", "audio.damaged", "audio.format")


def patched(path: Path, at: int, form: str, value: int) -> Path:
    data = bytearray(path.read_bytes())
    struct.pack_into(form, data, at, value)
    path.write_bytes(bytes(data))
    return path


@pytest.mark.parametrize(
    ("at", "form", "value"), [(22, "<H", 2), (28, "<I", 8_000), (32, "<H", 7), (34, "<H", 12)]
)
def test_a_header_that_contradicts_itself_is_an_error(tmp_path: Path, at: int, form: str, value: int) -> None:
    assert fault(patched(wav(tmp_path / "a.wav", tone(0.2, 16_000)), at, form, value)).code == "audio.header"


@pytest.mark.parametrize("rate_hz", [100, 7_999, 500_000])
def test_an_absurd_rate_is_an_error(tmp_path: Path, rate_hz: int) -> None:
    error = fault(wav(tmp_path / "a.wav", tone(0.2, 16_000), rate_hz))
    assert error.code == "audio.rate"
    assert f"{rate_hz} Hz" in error.message


def test_a_header_that_says_nothing_follows_is_an_error(tmp_path: Path) -> None:
    assert fault(patched(wav(tmp_path / "a.wav", tone(0.2, 16_000)), 40, "<I", 0)).code == "audio.header"


def test_a_header_that_hides_most_of_the_audio_is_an_error(tmp_path: Path) -> None:
    error = fault(patched(wav(tmp_path / "a.wav", tone(0.2, 16_000)), 40, "<I", 800))
    assert error.message.endswith("its header promises 800 bytes of audio, but 5600 more bytes follow.")


def test_chunks_behind_the_audio_are_no_fault(tmp_path: Path) -> None:
    path = wav(tmp_path / "a.wav", tone(0.1, 16_000))
    path.write_bytes(path.read_bytes() + b"LIST" + struct.pack("<I", 900) + b"x" * 900)
    assert len(read_audio(path).samples) == 1_600


def test_a_header_written_into_a_pipe_is_read_to_the_end(tmp_path: Path) -> None:
    path = patched(wav(tmp_path / "a.wav", tone(0.2, 16_000)), 40, "<I", 0xFFFFFFFF)
    assert len(read_audio(path).samples) == 3_200


@pytest.mark.parametrize(
    ("channel", "channels", "have"),
    [(1, 1, "only channel 0 (mono)"), (2, 2, "channels 0 to 1"), (-1, 2, "channels 0 to 1")],
)
def test_a_channel_that_is_not_there(tmp_path: Path, channel: int, channels: int, have: str) -> None:
    path = wav(tmp_path / "a.wav", np.zeros((100, channels), np.float32))
    assert str(fault(path, channel=channel)) == f"{path} has no channel {channel}. It has {have}."


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_samples_that_are_no_numbers(tmp_path: Path, bad: float) -> None:
    audio = tone(0.2, 16_000)
    audio[1_000] = bad
    assert fault(wav(tmp_path / "a.wav", audio, subtype="FLOAT")).code == "audio.numbers"


def test_integers_stored_as_float(tmp_path: Path) -> None:
    assert fault(wav(tmp_path / "a.wav", tone(0.2, 16_000) * 32_768, subtype="FLOAT")).code == "audio.range"


def test_a_little_over_full_scale_is_clipped(tmp_path: Path) -> None:
    samples = read_audio(wav(tmp_path / "a.wav", tone(0.2, 16_000) * 3, subtype="FLOAT")).samples
    assert float(np.abs(samples).max()) == 1.0


def test_an_hour_of_silence_is_read_in_one_copy(tmp_path: Path) -> None:
    path = tmp_path / "hour.wav"
    with sf.SoundFile(path, "w", 8_000, 1, subtype="ULAW") as file:
        for _ in range(60):
            file.write(np.zeros(60 * 8_000, np.float32))
    tracemalloc.start()
    recording = read_audio(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(recording.samples) == 3600 * 16_000
    # Reserved, not touched: parts are freed as the one result fills.
    assert peak < 2.1 * recording.samples.nbytes
