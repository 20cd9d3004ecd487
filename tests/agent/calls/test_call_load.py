"""Call files: what is right in them, and one line for everything that is wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile as sf

from agent.calls.load import load_call
from stages.errors import InputError

from .conftest import RATE, LevelVad, bursts, segment

Write = Callable[..., Path]
TWO = [segment("agent", 0.5, 1.0, "Hello."), segment("caller", 2.0, 3.0, "Hi.")]


def fault(path: Path, **kwargs: Any) -> str:
    with pytest.raises(InputError) as caught:
        load_call(path, **kwargs)
    assert caught.value.exit_code == 2
    assert "\n" not in str(caught.value)
    assert str(path.parent) in str(caught.value)
    return str(caught.value).replace(f"{path.parent}/", "")


def test_a_two_channel_call(write_call_file: Write) -> None:
    loaded = load_call(write_call_file(TWO))
    assert (loaded.seconds, loaded.speech_end_source, loaded.notes) == (10.0, "labels", ())
    assert loaded.agent is not None
    assert [(t.start_s, t.end_s, t.text, t.said_before, t.shift_s) for t in loaded.turns] == [
        (2.0, 3.0, "Hi.", ("Hello.",), None)
    ]


def test_ends_are_pulled_back_to_the_last_sound_and_starts_moved_to_the_first(write_call_file: Write) -> None:
    turns = [segment("caller", 1.9, 3.11), segment("agent", 4.0, 5.05)]
    audio = np.stack([bursts(6, (2.0, 3.0)), bursts(6, (4.1, 5.0))], axis=1)
    loaded = load_call(write_call_file(turns, audio=audio))
    assert [(one.start_s, one.end_s) for one in loaded.call.turns] == [(2.0, 3.0), (4.1, 5.0)]
    assert loaded.turns[0].shift_s == pytest.approx(1.1)


def test_an_offset_does_not_stop_the_pulling_back(write_call_file: Write) -> None:
    caller = bursts(6, (2.0, 3.0)) + np.float32(0.1)
    audio = np.stack([caller, bursts(6)], axis=1)
    loaded = load_call(write_call_file([segment("caller", 1.9, 3.11)], audio=audio))
    assert (loaded.turns[0].start_s, loaded.turns[0].end_s) == (2.0, 3.0)
    assert any(note.startswith("a constant offset of +0.1") for note in loaded.notes)


def test_exact_labels_are_used_as_they_are(write_call_file: Write) -> None:
    audio = np.stack([bursts(6, (2.0, 3.0)), bursts(6)], axis=1)
    loaded = load_call(write_call_file([segment("caller", 1.9, 3.11)], audio=audio, schema=1, exact=True))
    assert (loaded.turns[0].start_s, loaded.turns[0].end_s) == (1.9, 3.11)


def test_two_voices_on_one_channel_are_gated_by_the_labels(write_call_file: Write) -> None:
    turns = [segment("agent", 0.5, 1.9), segment("caller", 2.0, 3.0), segment("agent", 4.0, 5.0)]
    mixed = bursts(6, (0.5, 1.9), (2.0, 3.0), (4.0, 5.0))
    path = write_call_file(
        turns,
        audio=mixed,
        caller=None,
        agent=None,
        caller_gated_by_turns=True,
        **{"mixed mono": {"file": "a.wav"}},
    )
    loaded = load_call(path)
    assert loaded.agent is None
    assert not loaded.caller[: round(1.94 * RATE)].any()
    assert not loaded.caller[round(3.16 * RATE) :].any()
    assert loaded.caller[round(2.01 * RATE) : round(2.99 * RATE)].std() > 0.2
    assert any("share one channel" in note for note in loaded.notes)
    assert (loaded.turns[0].start_s, loaded.turns[0].end_s) == (2.0, 3.0)


@pytest.mark.parametrize(
    ("turns", "words"),
    [
        (
            [segment("caller", 3.0, 2.0)],
            "turns[0] (caller, 3 to 2 s) runs backwards: it ends before it starts.",
        ),
        (
            [segment("caller", 2.0, 2.0)],
            "turns[0] (caller, 2 to 2 s) runs backwards: it ends before it starts.",
        ),
        (
            [segment("caller", 5.0, 6.0), segment("agent", 1.0, 2.0)],
            "turns[1] (agent, 1 to 2 s) starts before turns[0]; segments stand in order of their start.",
        ),
        (
            [segment("caller", 1.0, 3.0), segment("agent", 1.5, 2.0), segment("caller", 2.9, 4.0)],
            "turns[2] (caller, 2.9 to 4 s) overlaps turns[0] of the same party, which ends at 3 s.",
        ),
        (
            [segment("caller", 9.0, 10.2)],
            "turns[0] (caller, 9 to 10.2 s) lies beyond the audio, which ends at 10.00 s.",
        ),
    ],
)
def test_labels_that_cannot_be(write_call_file: Write, turns: list[dict[str, Any]], words: str) -> None:
    path = write_call_file(turns, audio=np.zeros((10 * RATE, 2), np.float32))
    assert fault(path) == f"a.call.json: {words} Mend the label, or make new ones: calls label."


@pytest.mark.parametrize("value", [-0.1, float("nan"), float("inf"), "soon", None])
def test_times_that_are_none(write_call_file: Write, value: Any) -> None:
    path = write_call_file(
        [segment("caller", 1.0, 2.0) | {"start_s": value}], audio=np.zeros((100, 2), np.float32)
    )
    assert fault(path).startswith("a.call.json: `turns[0].start_s`")


def test_a_label_may_end_a_rounding_beyond_the_audio(write_call_file: Write) -> None:
    audio = np.stack([bursts(3.0, (2.0, 3.0)), bursts(3.0)], axis=1)
    assert load_call(write_call_file([segment("caller", 2.0, 3.04)], audio=audio)).turns[0].end_s == 3.0


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (
            {"caller_gated_by_turn": True},
            "unknown key `caller_gated_by_turn`. Did you mean `caller_gated_by_turns`?",
        ),
        ({"licens": "MIT"}, "unknown key `licens`. Did you mean `licence`?"),
        ({"gain": 2}, "unknown key `gain`. Known are: "),
        ({"turns": None}, "`turns` is missing."),
        ({"caller": None}, "no `caller` and no `mixed mono` audio is named."),
        ({"caller": {"file": "a.wav", "chanel": 0}}, "unknown key `caller.chanel`. Did you mean `channel`?"),
        (
            {"caller": {"file": "a.wav", "channel": -1}},
            "`caller.channel` is -1: input should be greater than or equal",
        ),
        ({"schema": 2}, "`schema` is 2: input should be less than or equal to 1."),
        ({"turns": [segment("bot", 1, 2)]}, "`turns[0].role` is 'bot': input should be 'caller' or 'agent'."),
    ],
)
def test_keys_that_are_wrong(write_call_file: Write, keys: dict[str, Any], words: str) -> None:
    keys = dict(keys)
    turns = keys.pop("turns", TWO)
    path = write_call_file(turns, audio=np.zeros((100, 2), np.float32), **keys)
    assert fault(path).startswith(f"a.call.json: {words}")


def test_texts_under_other_keys_are_noted(write_call_file: Write) -> None:
    loaded = load_call(write_call_file(TWO, speaker_city="Springfield"))
    assert loaded.notes == ("unknown key `speaker_city` of the file is not used",)


def test_both_voices_on_one_channel_must_be_gated(write_call_file: Write) -> None:
    path = write_call_file(TWO, caller=None, agent=None, **{"mixed mono": {"file": "a.wav"}})
    assert "both voices are on one channel. Set `caller_gated_by_turns: true`" in fault(path)


def test_files_that_are_no_call(tmp_path: Path) -> None:
    path = tmp_path / "b.call.json"
    assert fault(path) == "b.call.json cannot be read: No such file or directory. Check the path."
    path.write_text('{"name": "a",\n"turns": [}')
    assert fault(path) == "b.call.json:2 is not valid JSON: Expecting value."
    path.write_text("[1, 2]")
    assert fault(path).startswith("b.call.json: `the file`: input should be")
    path.write_bytes(b"\xff\xfe\x00RIFF")
    assert fault(path) == "b.call.json is no text file. Check the path."


def test_audio_that_the_file_names_but_is_not_there(write_call_file: Write) -> None:
    assert (
        fault(write_call_file(TWO, agent={"file": "gone.wav"})) == "gone.wav does not exist. Check the path."
    )
    assert fault(write_call_file(TWO, agent={"file": "a.wav", "channel": 2})) == (
        "a.wav has no channel 2. It has channels 0 to 1."
    )


def test_a_call_without_a_caller(write_call_file: Write) -> None:
    assert fault(write_call_file([segment("agent", 1, 2)])).startswith(
        "a.call.json labels no speech of the caller."
    )


def test_a_mono_recording_is_the_caller_s(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    sf.write(path, bursts(6, (1.0, 2.0), (2.5, 3.0), (4.2, 5.0)), RATE)
    loaded = load_call(path, vad=LevelVad())
    assert (loaded.speech_end_source, loaded.agent) == ("offline_vad", None)
    assert loaded.notes == ("one channel without labels: every voice on it counts as the caller",)
    [turn] = loaded.turns
    times = [at for one in turn.segments for at in (one.start_s, one.end_s)]
    assert times == pytest.approx([1.0, 3.0, 4.2, 5.0], abs=0.01)


def test_of_a_stereo_recording_the_caller_must_be_named(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    sf.write(path, np.stack([bursts(4, (1, 2)), bursts(4, (2.5, 3))], axis=1), RATE)
    assert (
        fault(path)
        == "a.wav has 2 channels (0 to 1). Say which one is the caller's, e.g. --caller-channel 0."
    )
    assert (
        fault(path, caller_channel=2)
        == "a.wav has 2 channels (0 to 1), not 2. Choose one of them for --caller-channel."
    )
    loaded = load_call(path, 1, vad=LevelVad())
    assert loaded.turns[0].start_s == pytest.approx(2.5, abs=0.01)
    assert loaded.agent is not None


def test_a_channel_that_a_mono_recording_lacks(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    sf.write(path, bursts(2, (1, 2)), RATE)
    assert fault(path, caller_channel=1).startswith("a.wav has only channel 0 (mono), not 1.")


def test_a_call_file_says_itself_who_is_where(write_call_file: Write) -> None:
    assert "says itself which channel is the caller's" in fault(write_call_file(TWO), caller_channel=0)


def test_silence_holds_no_call(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    sf.write(path, np.zeros(5 * RATE, np.float32), RATE)
    assert fault(path, vad=LevelVad()) == (
        "a.wav holds no speech of the caller. Check the file and the caller's channel."
    )


@pytest.mark.parametrize(
    ("audio", "note"),
    [
        (np.clip(bursts(20, (12, 14), level=3.0), -1, 1), "clipped: "),
        (bursts(20, (12, 14)), "nothing is heard for the first 12.0 s"),
        (bursts(20, (12, 14), level=0.006), "very quiet: "),
    ],
)
def test_what_is_wrong_with_a_recording_is_said(write_call_file: Write, audio: np.ndarray, note: str) -> None:
    stereo = np.stack([audio, np.zeros_like(audio)], axis=1)
    notes = load_call(write_call_file([segment("caller", 12, 14)], audio=stereo)).notes
    assert any(one.startswith(note) for one in notes)
