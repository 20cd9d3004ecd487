"""What comes from the transport becomes one clean stream at 16 kHz, and what was wrong is told once."""

from __future__ import annotations

import numpy as np
import pytest
from pipecat.frames.frames import InputAudioRawFrame

from agent.caller_audio import CallerAudio


def frame(
    rate: int = 16_000, channels: int = 1, ms: int = 20, pts_ms: float | None = None
) -> InputAudioRawFrame:
    at = np.arange(rate * ms // 1000) / rate
    tone = (8192 * np.sin(2 * np.pi * 450 * at)).astype(np.int16)
    made = InputAudioRawFrame(np.repeat(tone, channels).tobytes(), rate, channels)
    made.pts = None if pts_ms is None else round(pts_ms * 1e6)
    return made


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def stream(told: list[str]) -> CallerAudio:
    return CallerAudio(told.append)


@pytest.mark.parametrize(
    ("rate", "channels"), [(8000, 1), (16_000, 2), (22_050, 1), (44_100, 2), (48_000, 1)]
)
def test_every_rate_and_layout_gives_as_much_audio_as_came(
    stream: CallerAudio, told: list[str], rate: int, channels: int
) -> None:
    out = np.concatenate([stream.push(frame(rate, channels)) for _ in range(100)])
    assert len(out) == pytest.approx(32_000, rel=0.02)
    assert np.abs(out[8000:24_000]).max() == pytest.approx(0.25, abs=0.02)
    assert told == []


def test_a_rate_that_changes_in_the_middle_is_resampled_and_told_once(
    stream: CallerAudio, told: list[str]
) -> None:
    rates = [16_000] * 50 + [8000] * 50 + [16_000] * 50 + [8000] * 50
    out = [stream.push(frame(rate)) for rate in rates]
    assert sum(map(len, out)) == pytest.approx(4 * 16_000, rel=0.02)
    assert told == [
        "the caller's audio changed from 16000 to 8000 Hz: resampled",
        "the caller's audio changed from 8000 to 16000 Hz: resampled",
    ]


def test_half_a_sample_and_an_impossible_rate_are_left_out(stream: CallerAudio, told: list[str]) -> None:
    odd = InputAudioRawFrame(b"\x00" * 641, 16_000, 1)
    assert len(stream.push(odd)) == 320
    assert len(stream.push(InputAudioRawFrame(b"\x00" * 640, 0, 1))) == 0
    assert told == [
        "a frame of 641 bytes is no whole number of samples: cut",
        "a frame of 0 Hz and 1 channels was left out",
    ]


def test_lost_audio_is_replaced_by_as_much_silence(stream: CallerAudio, told: list[str]) -> None:
    lengths = [len(stream.push(frame(pts_ms=pts))) for pts in (0, 20, 540, 560)]
    assert lengths == [320, 320, 320 + 8000, 320]
    assert told == ["500 ms of the caller's audio are missing: silence in their place"]


@pytest.mark.parametrize("jump_ms", [-3000.0, 60_000.0])
def test_a_clock_that_was_set_is_not_followed(stream: CallerAudio, told: list[str], jump_ms: float) -> None:
    lengths = [len(stream.push(frame(pts_ms=pts))) for pts in (5000, 5020, 5040 + jump_ms, 5060 + jump_ms)]
    assert lengths == [320] * 4
    assert told == [f"the caller's time stamps jumped by {jump_ms:.0f} ms: not followed"]


def test_time_stamps_that_wander_a_little_change_nothing(stream: CallerAudio, told: list[str]) -> None:
    lengths = [len(stream.push(frame(pts_ms=pts))) for pts in (0, 35, 41, 60, 110)]
    assert lengths == [320] * 5
    assert told == []
