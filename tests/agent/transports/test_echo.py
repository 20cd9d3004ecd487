"""The agent's own voice in the microphone."""

from __future__ import annotations

import numpy as np
import pytest

from agent.transports.echo import HalfDuplex, NoGuard, WebRtcGuard, guard_for
from agent.transports.echo_watch import EchoWatch
from agent.transports.played import PlayedReference, RunResampler
from stages.contract import RATE_HZ

FRAME = RATE_HZ // 50


def noise(seconds: float, level: float = 3000.0, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.asarray(rng.normal(0.0, level, round(seconds * RATE_HZ)).astype(np.int16))


def babble(seconds: float) -> np.ndarray:
    """Noise in syllables: what does not change is no speech for the canceller."""
    t = np.arange(round(seconds * RATE_HZ)) / RATE_HZ
    loud = np.maximum(0.0, np.sin(2 * np.pi * 2.0 * t)) * (np.sin(2 * np.pi * 0.3 * t) > -0.5)
    return np.asarray((noise(seconds) * loud).astype(np.int16))


def test_the_reference_gives_back_what_was_played_and_silence_elsewhere() -> None:
    reference = PlayedReference(keep_ms=1000.0)
    reference.add(5000.0, np.full(160, 9, dtype=np.int16))
    reference.add(5030.0, np.full(160, 7, dtype=np.int16))
    found = reference.slice(4990.0, 960)
    assert [int(found[k * 160]) for k in range(6)] == [0, 9, 0, 0, 7, 0]
    assert not reference.slice(3000.0, 160).any()


def test_what_is_older_than_the_reference_keeps_is_silence() -> None:
    reference = PlayedReference(keep_ms=100.0)
    reference.add(1000.0, np.full(160, 9, dtype=np.int16))
    reference.add(1095.0, np.full(160, 7, dtype=np.int16))
    assert not reference.slice(1000.0, 80).any()
    assert reference.slice(1095.0, 160).tolist() == [7] * 160


def test_half_duplex_is_closed_while_the_agent_is_heard_and_for_the_tail() -> None:
    reference = PlayedReference()
    reference.add(1000.0, np.full(1600, 5000, dtype=np.int16))  # 1000 to 1100 ms
    guard, block = HalfDuplex(200.0), np.full(FRAME, 3, dtype=np.int16)
    closed = [not guard.clean(at, block, reference).any() for at in (960.0, 990.0, 1050.0, 1290.0, 1310.0)]
    assert closed == [False, True, True, True, False]


@pytest.mark.parametrize(("delay_ms", "gain_db"), [(20, -6), (80, -20), (250, -6)])
def test_webrtc_takes_the_echo_out(delay_ms: int, gain_db: int) -> None:
    """After three seconds an echo is at least 20 dB fainter, whatever its delay."""
    pytest.importorskip("pywebrtc_audio")
    reference, guard = PlayedReference(), WebRtcGuard()
    played = babble(6.0)
    later = np.zeros(delay_ms * RATE_HZ // 1000, dtype=np.int16)
    near = (np.concatenate([later, played]) * 10 ** (gain_db / 20)).astype(np.int16)
    left = []
    for k in range(len(played) // FRAME - 2):
        span = slice(k * FRAME, (k + 2) * FRAME)
        reference.add(10_000.0 + k * 20.0, played[span])
        left.append(guard.clean(10_000.0 + k * 20.0, near[k * FRAME : (k + 1) * FRAME], reference))
    tail = slice(150, None)
    before = near[150 * FRAME : len(left) * FRAME].astype(np.float64)
    after = np.concatenate(left[tail]).astype(np.float64)
    assert 10 * np.log10(np.mean(before**2) / max(np.mean(after**2), 1e-9)) > 20.0


def test_webrtc_leaves_a_caller_alone_when_nothing_is_played() -> None:
    """Speech without an echo passes within 1 dB."""
    pytest.importorskip("pywebrtc_audio")
    guard, near = WebRtcGuard(), noise(2.0)
    out = np.concatenate(
        [
            guard.clean(k * 20.0, near[k * FRAME : (k + 1) * FRAME], PlayedReference())
            for k in range(len(near) // FRAME)
        ]
    )
    ratio = np.mean(out.astype(np.float64) ** 2) / np.mean(near.astype(np.float64) ** 2)
    assert abs(10 * np.log10(ratio)) < 1.0


def test_a_run_is_resampled_as_one_stream_with_its_times() -> None:
    """A tone at 48 kHz comes out at 16 kHz, on time and unbroken, and a gap begins a new run."""
    resampler = RunResampler(48_000)
    tone = (8000 * np.sin(2 * np.pi * 500 * np.arange(48_000) / 48_000)).astype(np.int16)
    reference = PlayedReference()
    for k in range(50):
        for at_ms, block in resampler.push(2000.0 + k * 20.0, tone[k * 960 : (k + 1) * 960]):
            reference.add(at_ms, block)
    expected = 8000 * np.sin(2 * np.pi * 500 * np.arange(8000) / 16_000)
    assert np.abs(reference.slice(2200.0, 8000) - expected).max() < 100
    late = resampler.push(9000.0, tone[:9600])
    assert late[-1][0] == 9000.0


def test_auto_trusts_headphones_and_nothing_else() -> None:
    assert isinstance(guard_for("auto", headphones=True, tail_ms=200.0)[0], NoGuard)
    assert guard_for("auto", headphones=False, tail_ms=200.0)[1] in ("webrtc", "half duplex")
    assert isinstance(guard_for("half_duplex", headphones=True, tail_ms=200.0)[0], HalfDuplex)


def echo_run(gain_db: float | None, near: np.ndarray, delay_ms: int = 80) -> tuple[np.ndarray, WebRtcGuard]:
    """What hearing gets of ``near`` while 4 s of the agent are played, with or without an echo of it."""
    pytest.importorskip("pywebrtc_audio")
    reference, guard = PlayedReference(), WebRtcGuard()
    played = babble(len(near) / RATE_HZ)
    heard = near.astype(np.float64)
    if gain_db is not None:
        later = delay_ms * RATE_HZ // 1000
        heard[later:] += played[: len(played) - later] * 10 ** (gain_db / 20)
    block = np.clip(heard, -32_768, 32_767).astype(np.int16)
    out = []
    for k in range(len(near) // FRAME - 2):
        reference.add(10_000.0 + k * 20.0, played[k * FRAME : (k + 2) * FRAME])
        out.append(guard.clean(10_000.0 + k * 20.0, block[k * FRAME : (k + 1) * FRAME], reference))
    return np.concatenate(out), guard


def late_speech(from_s: float, seconds: float) -> np.ndarray:
    """A caller who begins to speak over the agent: other noise than the agent's."""
    near = noise(seconds, 20.0, seed=3)
    voice = noise(seconds, 2500.0, seed=4)
    voice[: round(from_s * RATE_HZ)] = 0
    return np.asarray(near + voice, dtype=np.int16)


def test_without_an_echo_a_caller_over_the_agent_passes_as_they_are() -> None:
    """The canceller alone would take the first words over the first reply for echo."""
    near = late_speech(1.5, 4.0)
    out, guard = echo_run(None, near)
    assert guard.watch.state == "none"
    speech = slice(round(1.5 * RATE_HZ), len(out))
    assert np.array_equal(out[speech], near[speech])


@pytest.mark.parametrize("gain_db", [-20.0, -6.0])
def test_over_an_echo_a_caller_keeps_the_voice(gain_db: float) -> None:
    """Two seconds into the first reply the caller comes through within 6 dB, and the echo before them does not."""
    near = late_speech(2.0, 4.0)
    out, guard = echo_run(gain_db, near)
    assert guard.watch.state == "found"
    assert guard.watch.delay_ms == pytest.approx(80.0, abs=1.0)
    speech = slice(round(2.2 * RATE_HZ), len(out))
    lost = np.mean(near[speech].astype(float) ** 2) / np.mean(out[speech].astype(float) ** 2)
    assert 10 * np.log10(lost) < 6.0
    before = slice(round(1.5 * RATE_HZ), round(2.0 * RATE_HZ))
    assert np.sqrt(np.mean(out[before].astype(float) ** 2)) < 40.0


@pytest.mark.parametrize("seed", [3, 4, 5, 6])
def test_an_echo_that_goes_away_is_forgotten(seed: int) -> None:
    """Headphones put on in a call: ten seconds of the agent's voice after the last trace it passes as it is.

    Also where noise is like the agent's voice once by chance, at some delay.
    """
    reference, watch = PlayedReference(), EchoWatch()
    played, quiet = noise(20.0), noise(20.0, 20.0, seed=seed)
    states = []
    for k in range(len(played) // FRAME - 2):
        reference.add(k * 20.0, played[k * FRAME : (k + 2) * FRAME])
        heard = quiet[k * FRAME : (k + 1) * FRAME] + (played[k * FRAME : (k + 1) * FRAME] // 4) * (k < 250)
        watch.look(k * 20.0, heard.astype(np.int16), reference)
        states.append(watch.state)
    assert states[249] == "found"
    assert states[-1] == "none"
