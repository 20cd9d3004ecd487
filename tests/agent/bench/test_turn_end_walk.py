"""Silences and their kind, by exact positions."""

from __future__ import annotations

from agent.bench.turn_end_walk import Pause, pauses_of, silences
from agent.calls.model import Segment
from agent.calls.turns import caller_turns
from stages.endpoint.voice_gate import Voice

W = 32.0


def windows(*runs: tuple[int, bool]) -> list[Voice]:
    return [Voice(voice, voice) for count, voice in runs for _ in range(count)]


FAINT = Voice(True, False)


def test_voice_activity_says_where_the_pause_begins_and_the_level_how_much_earlier_it_was_seen() -> None:
    voices = [*windows((10, True)), FAINT, FAINT, FAINT, *windows((20, False), (4, True), (3, False))]
    first, last = pauses_of(voices)
    assert first == Pause(13 * W, 33 * W, 3 * W)
    assert last == Pause(37 * W, None)


def test_a_dip_that_voice_activity_bridges_is_no_pause() -> None:
    voices = [*windows((10, True)), FAINT, FAINT, *windows((4, True), (3, False))]
    assert pauses_of(voices) == [Pause(16 * W, None)]


def test_what_stays_faint_for_long_was_soft_speech() -> None:
    voices = [*windows((10, True)), *[FAINT] * 10, *windows((5, False))]
    assert pauses_of(voices) == [Pause(20 * W, None)]


def test_one_window_of_voice_breaks_no_pause() -> None:
    voiced = windows((2, False), (10, True), (5, False), (1, True), (5, False), (4, True), (3, False))
    assert pauses_of(voiced) == [Pause(12 * W, 23 * W), Pause(27 * W, None)]


def test_silence_alone_has_no_pause() -> None:
    assert pauses_of(windows((10, False))) == []


def call(*parts: tuple[str, float, float]) -> tuple[Segment, ...]:
    return tuple(Segment(role=role, start_s=start, end_s=end) for role, start, end in parts)  # type: ignore[arg-type]


def test_holds_and_shifts_are_told_by_the_labels() -> None:
    turns = caller_turns(call(("caller", 0.32, 0.96), ("caller", 1.92, 2.56), ("agent", 3.2, 4.0)))
    voiced = windows((10, False), (20, True), (30, False), (20, True), (100, False))
    hold, shift = silences(voiced, turns, ["", ""])
    assert (hold.kind, hold.start_ms, hold.length_ms) == ("hold", 960.0, 960.0)
    assert (shift.kind, shift.start_ms, shift.true_end_ms) == ("shift", 2560.0, 2560.0)
    assert (hold.pauses_ms, shift.pauses_ms) == ((), (960.0,))
    assert hold.turn_start_ms == 320.0


def test_an_end_that_nobody_answers_is_no_shift() -> None:
    turns = caller_turns(call(("agent", 0.0, 0.2), ("caller", 0.32, 0.96)))
    assert silences(windows((10, False), (20, True), (50, False)), turns, [""]) == []


def test_a_noise_long_after_the_end_is_no_silence_of_the_turn() -> None:
    turns = caller_turns(call(("caller", 0.32, 0.96), ("agent", 3.2, 4.0)))
    voiced = windows((10, False), (20, True), (40, False), (5, True), (50, False))
    assert [s.start_ms for s in silences(voiced, turns, [""])] == [960.0]
