"""What was heard when, to the 10 ms window."""

from __future__ import annotations

import numpy as np

from agent.playback import Playback

RATE = 16_000


def tone(ms: float, level: float = 0.3) -> np.ndarray:
    n = int(RATE * ms / 1000)
    return (level * np.sin(2 * np.pi * 440 * np.arange(n) / RATE)).astype(np.float32)


def silence(ms: float) -> np.ndarray:
    return np.zeros(int(RATE * ms / 1000), dtype=np.float32)


def play(playback: Playback, at_ms: float, audio: np.ndarray) -> list[int]:
    """Write in 20 ms blocks; the replies that became audible."""
    step = RATE // 50
    heard = []
    for k in range(0, len(audio), step):
        reply = playback.write(at_ms + k * 1000 / RATE, audio[k : k + step])
        if reply is not None:
            heard.append(reply)
    return heard


def test_silence_in_front_does_not_count_and_the_device_does() -> None:
    playback = Playback(RATE, latency_ms=20.0)
    playback.begin_piece(1, 0, "Hello.", content=True)
    assert play(playback, 1000.0, np.concatenate([silence(30), tone(100)])) == [1]
    assert playback.of(1).first_audio_ms == 1050.0
    assert playback.of(1).end_ms == 1150.0


def test_content_starts_with_the_first_piece_that_answers() -> None:
    playback = Playback(RATE, latency_ms=0.0)
    playback.begin_piece(1, 0, "Sure,", content=False)
    play(playback, 0.0, tone(200))
    playback.begin_piece(1, 1, "we open at nine.", content=True)
    play(playback, 200.0, np.concatenate([silence(40), tone(200)]))
    assert playback.of(1).first_audio_ms == 0.0
    assert playback.of(1).first_content_ms == 240.0


def test_a_silence_inside_a_reply_parts_its_spans_and_a_plosive_does_not() -> None:
    playback = Playback(RATE, latency_ms=0.0)
    playback.begin_piece(1, 0, "a", content=True)
    play(playback, 0.0, np.concatenate([tone(100), silence(60), tone(100), silence(300), tone(100)]))
    assert playback.of(1).spans == [(0.0, 260.0), (560.0, 660.0)]


def test_45_dbfs_is_the_threshold() -> None:
    playback = Playback(RATE, latency_ms=0.0)
    playback.begin_piece(1, 0, "a", content=True)
    quiet = np.full(160, 10 ** (-45.1 / 20), dtype=np.float32)
    loud = np.full(160, 10 ** (-44.9 / 20), dtype=np.float32)
    assert playback.write(0.0, quiet) is None
    assert playback.write(10.0, loud) == 1


def test_a_cancelled_reply_may_not_be_written_and_the_next_may() -> None:
    playback = Playback(RATE, latency_ms=0.0)
    playback.begin_piece(1, 0, "a", content=True)
    assert playback.allows_writing()
    playback.cancel(1)
    assert not playback.allows_writing()
    playback.begin_piece(2, 0, "b", content=True)
    assert playback.allows_writing()


def test_a_reply_that_never_sounded_has_no_times() -> None:
    playback = Playback(RATE, latency_ms=0.0)
    heard = playback.of(7)
    assert (heard.first_audio_ms, heard.first_content_ms, heard.end_ms) == (None, None, None)
