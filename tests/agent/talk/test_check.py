"""The echo test finds its chirp, and knows when there is none."""

from __future__ import annotations

import numpy as np
import pytest

from agent.cli.talk_check import lines
from agent.talk.check import CheckResult, Echo, chirp, find_echo
from stages.contract import RATE_HZ


@pytest.mark.parametrize(("delay_ms", "gain_db"), [(20, -6), (137, -20), (250, -40)])
def test_the_chirp_is_found_to_the_sample_under_noise(delay_ms: int, gain_db: int) -> None:
    played = chirp(RATE_HZ)
    heard = np.random.default_rng(3).normal(0.0, 0.002, RATE_HZ).astype(np.float32)
    at = delay_ms * RATE_HZ // 1000
    heard[at : at + len(played)] += played * np.float32(10 ** (gain_db / 20))
    echo = find_echo(played, heard, RATE_HZ)
    assert echo.found
    assert echo.delay_ms == pytest.approx(delay_ms, abs=0.1)
    assert echo.gain_db == pytest.approx(gain_db, abs=0.5)


@pytest.mark.parametrize("seed", range(10))
def test_noise_alone_is_no_echo(seed: int) -> None:
    heard = np.random.default_rng(seed).normal(0.0, 0.05, RATE_HZ).astype(np.float32)
    assert not find_echo(chirp(RATE_HZ), heard, RATE_HZ).found


def test_silence_is_no_echo() -> None:
    assert not find_echo(chirp(RATE_HZ), np.zeros(RATE_HZ, dtype=np.float32), RATE_HZ).found


def result(*echoes: Echo, noise_dbfs: float = -70.0) -> CheckResult:
    return CheckResult(noise_dbfs, -70.0, -30.0, echoes, 40.0, 20.0, 0)


def test_no_echo_or_a_faint_one_means_headphones() -> None:
    assert result().headphones
    assert result(Echo(30.0, -50.0, 20.0)).headphones
    assert not result(Echo(30.0, -20.0, 20.0)).headphones


def test_what_is_said() -> None:
    told = lines(result(Echo(30.0, -20.0, 20.0), Echo(32.0, -20.0, 20.0)))
    assert told[0] == "Microphone: -70 dBFS when it is quiet, fine."
    assert told[2].startswith(
        "Loudspeaker in the room: 2 of 5 chirps came back, -20 dB, 31 ms after they sounded"
    )
    assert told[3] == "Round trip: 91 ms."
    assert lines(result())[2].startswith("Headphones")
    assert "is it muted" in lines(result(noise_dbfs=-120.0))[0]
