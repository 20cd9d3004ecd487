"""The caller's turns of a live call, and the files that replay takes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile as sf

from agent.audio_history import AudioHistory
from agent.calls.load import load_call
from agent.playback import Playback
from agent.recorder import Recorder, ReplyRecord
from agent.talk.call import TalkResult
from agent.talk.recording import CallRecording
from agent.talk.save import save_call
from agent.talk.turns import LiveTurns
from stages.contract import RATE_HZ, Audio

WINDOW_MS = 32.0


def voice(total_ms: float, *spans_ms: tuple[float, float]) -> Audio:
    audio = np.zeros(round(total_ms * RATE_HZ / 1000), dtype=np.float32)
    for start, end in spans_ms:
        low, high = round(start * RATE_HZ / 1000), round(end * RATE_HZ / 1000)
        audio[low:high] = 0.3 * np.sin(2 * np.pi * 300 * np.arange(high - low) / RATE_HZ)
    return audio


def live(audio: Audio) -> LiveTurns:
    history = AudioHistory(30.0)
    history.append(audio)
    return LiveTurns(history.slice)


def committed(turn: int, reply: int, heard: str, covers_ms: float) -> ReplyRecord:
    return ReplyRecord(turn, reply, heard, covers_ms, committed=True)


def test_the_end_is_pulled_back_to_the_last_audible_speech() -> None:
    """Voice activity ends late, at 2080 ms; the voice itself at 2000."""
    turns = live(voice(4000, (1000, 2000)))
    turns.opened(1, 990.0)
    turns.settle([committed(1, 1, "hello", 2080.0)], idle=True)
    assert [(turn.index, turn.start_ms, turn.end_ms) for turn in turns.turns] == [(0, 1000.0, 2000.0)]
    assert turns.words == {0: "hello"}


def test_a_turn_counts_once_it_cannot_go_on() -> None:
    """While it may be taken up again it is not written; the last commit's words are its words."""
    turns = live(voice(6000, (1000, 2000), (2600, 3000)))
    turns.opened(1, 1000.0)
    records = [committed(1, 1, "one", 2000.0)]
    turns.settle(records, idle=False)
    assert turns.turns == []
    records.append(committed(1, 2, "one two", 3000.0))
    turns.opened(2, 5000.0)
    turns.settle(records, idle=False)
    assert [turn.end_ms for turn in turns.turns] == [3000.0]
    assert turns.words == {0: "one two"}


def test_a_turn_without_words_is_none() -> None:
    turns = live(voice(3000, (1000, 1200)))
    turns.opened(1, 1000.0)
    turns.settle([], idle=True)
    assert turns.turns == []


def test_long_silences_inside_a_turn_are_holds() -> None:
    """A hold of 480 ms counts, a gap of 160 ms does not."""
    turns = live(voice(6000, (1024, 2048), (2528, 3008), (3168, 4000)))
    for k in range(1, 188):
        end = k * WINDOW_MS
        loud = 1024 < end <= 2048 or 2528 < end <= 3008 or 3168 < end <= 4000
        turns.window(end, WINDOW_MS, loud)
    turns.opened(1, 1024.0)
    turns.settle([committed(1, 1, "words", 4000.0)], idle=True)
    assert turns.turns[0].holds == ((2048.0, 2528.0),)


def test_a_kept_call_is_one_that_replay_reads(tmp_path: Path) -> None:
    """Both voices where they belong, the caller's turn and words, the agent's line as far as it was heard."""
    caller = voice(6000, (1000, 2000))
    recording = CallRecording(tmp_path / "call.wav")
    playback = Playback(RATE_HZ, 0.0)
    recorder = Recorder(playback)
    recorder.origin_ms = 50_000.0
    record = committed(1, 1, "When are you open?", 2000.0)
    recorder.begin(record)
    playback.begin_piece(1, 0, "From nine", True)
    reply = (8000 * np.sin(np.arange(RATE_HZ) / 5)).astype(np.int16)
    for k in range(0, len(caller), 320):
        recording.caller((caller[k : k + 320] * 32767).astype(np.int16))
        if k == 2560 * 16:  # at 2.56 s
            recording.agent(2500.0, reply)
            playback.write(52_500.0, reply.astype(np.float32) / 32768)
    recording.close()
    playback.begin_piece(1, 1, "to five.", True)  # never sounded
    turns = live(caller)
    turns.opened(1, 1000.0)
    turns.settle([record], idle=True)
    result = TalkResult("mine", recorder, turns, [], 6.0, 0, 0)

    loaded = load_call(save_call(result, tmp_path))

    assert [(turn.start_s, turn.end_s, turn.text) for turn in loaded.turns] == [
        (1.0, 2.0, "When are you open?")
    ]
    lines = [(one.start_s, one.end_s, one.text) for one in loaded.call.turns if one.role == "agent"]
    assert lines == [(2.5, 3.5, "From nine")]
    both, _ = sf.read(tmp_path / "call.wav", dtype="int16")
    assert len(both) == 6 * RATE_HZ
    assert np.array_equal(both[40_000 : 40_000 + RATE_HZ, 1], reply)
    assert not both[:40_000, 1].any()
    assert float(np.abs(both[16_000:32_000, 0]).max()) == pytest.approx(0.3 * 32767, abs=2)
