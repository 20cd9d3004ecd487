"""The echo's path: found by its delay, taken out by a linear filter that leaves other sound alone."""

from __future__ import annotations

import numpy as np
import pytest

from stages.audio.echo_filter import BLOCK, EchoFilter
from stages.audio.echo_finder import LONGEST, WINDOW, EchoFinder
from stages.contract import RATE_HZ

EVERY = RATE_HZ // 10


def white(seconds: float, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.asarray(rng.normal(0.0, 0.1, round(seconds * RATE_HZ)).astype(np.float32))


def found(heard: np.ndarray, played: np.ndarray) -> EchoFinder:
    finder = EchoFinder()
    for end in range(WINDOW + LONGEST, len(heard), EVERY):
        finder.push(heard[end - WINDOW : end], played[end - WINDOW - LONGEST : end])
    return finder


@pytest.mark.parametrize("delay", [0, 160, 1280, 6399])
def test_an_echo_40_db_down_under_a_louder_voice_is_found_to_the_sample(delay: int) -> None:
    played, voice = white(3.0, 1), white(3.0, 2) * 0.05
    heard = voice.copy()
    heard[delay:] += played[: len(played) - delay] * 10 ** (-40 / 20)
    finder = found(heard, played)
    assert finder.delay == delay
    assert finder.clarity > 8.0


def test_two_sounds_that_have_nothing_in_common_are_no_echo() -> None:
    assert found(white(3.0, 1), white(3.0, 2)).clarity < 7.0


def test_the_filter_takes_out_the_echo_and_leaves_the_rest() -> None:
    """Three seconds of learning: the echo is 20 dB down; a voice that then joins loses less than 1 dB."""
    played, voice = white(6.0, 1), white(6.0, 2)
    voice[: 3 * RATE_HZ] = 0.0
    path = np.zeros(800, dtype=np.float32)
    path[[80, 400, 799]] = (0.5, -0.2, 0.1)
    heard = (np.convolve(played, path)[: len(played)] + voice).astype(np.float32)
    echo_filter = EchoFilter()
    blocks = range(0, len(played) - BLOCK + 1, BLOCK)
    out = np.concatenate([echo_filter.clean(heard[k : k + BLOCK], played[k : k + BLOCK]) for k in blocks])
    learned = slice(2 * RATE_HZ, 3 * RATE_HZ)
    gain = np.mean(heard[learned] ** 2) / np.mean(out[learned] ** 2)
    assert 10 * np.log10(gain) > 20.0
    talking = slice(3 * RATE_HZ, len(out))
    assert np.mean((out[talking] - voice[talking]) ** 2) < 0.2 * np.mean(voice[talking] ** 2)


def test_what_has_not_learned_adds_nothing() -> None:
    """No block ever leaves louder than it came."""
    played, heard = white(2.0, 1), white(2.0, 2)
    echo_filter = EchoFilter()
    for k in range(0, len(played) - BLOCK + 1, BLOCK):
        out = echo_filter.clean(heard[k : k + BLOCK], played[k : k + BLOCK])
        assert np.dot(out, out) <= np.dot(heard[k : k + BLOCK], heard[k : k + BLOCK]) + 1e-6
