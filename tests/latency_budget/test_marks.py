import math

import pytest

from latency_budget.marks import Mark, MarkOrderError, TurnMarks

GOOD = {
    Mark.SPEECH_START: 1000.0,
    Mark.SPEECH_END: 2000.0,
    Mark.SILENCE_SEEN: 2032.0,
    Mark.TURN_END: 2160.0,
    Mark.ASR_FINAL: 2200.0,
    Mark.REPLY_STARTED: 2201.0,
    Mark.SEAT_STARTED: 2202.0,
    Mark.REPLY_FIRST_SEGMENT: 2291.0,
    Mark.TTS_FIRST_CHUNK: 2351.0,
    Mark.FIRST_AUDIO: 2400.0,
    Mark.FIRST_CONTENT: 2400.0,
    Mark.REPLY_END: 4000.0,
}


def test_the_names_are_those_of_the_report() -> None:
    assert [str(mark) for mark in Mark] == [
        "speech_start",
        "speech_end",
        "silence_seen",
        "turn_end",
        "asr_final",
        "reply_started",
        "seat_started",
        "reply_first_segment",
        "tts_first_chunk",
        "first_audio",
        "first_content",
        "reply_end",
    ]


def test_marks_are_a_frozen_mapping_in_order_of_the_turn() -> None:
    values = dict(reversed(GOOD.items()))
    marks = TurnMarks(3, values)
    values[Mark.TURN_END] = 0.0
    assert dict(marks) == GOOD
    assert list(marks) == list(Mark)
    assert not hasattr(marks, "__setitem__")


@pytest.mark.parametrize(
    ("later", "at_ms", "earlier"),
    [
        (Mark.SPEECH_END, 999, Mark.SPEECH_START),
        (Mark.SILENCE_SEEN, 999, Mark.SPEECH_START),
        (Mark.TURN_END, 999, Mark.SPEECH_START),
        (Mark.ASR_FINAL, 999, Mark.SPEECH_START),
        (Mark.SEAT_STARTED, 2200, Mark.REPLY_STARTED),
        (Mark.REPLY_FIRST_SEGMENT, 2201, Mark.SEAT_STARTED),
        (Mark.TTS_FIRST_CHUNK, 2290, Mark.REPLY_FIRST_SEGMENT),
        (Mark.FIRST_AUDIO, 2350, Mark.TTS_FIRST_CHUNK),
        (Mark.FIRST_CONTENT, 2399, Mark.FIRST_AUDIO),
        (Mark.REPLY_END, 2399, Mark.FIRST_CONTENT),
    ],
)
def test_an_impossible_order_names_both_marks(later: Mark, at_ms: float, earlier: Mark) -> None:
    with pytest.raises(MarkOrderError) as caught:
        TurnMarks(7, GOOD | {later: at_ms})
    assert (caught.value.turn, caught.value.earlier, caught.value.later) == (7, earlier, later)
    assert caught.value.values[later] == at_ms


def test_the_message_says_which_turn_and_both_times() -> None:
    with pytest.raises(
        MarkOrderError, match=r"^turn 7: speech_end \(900\.0 ms\) lies before speech_start \(1000\.0 ms\)$"
    ):
        TurnMarks(7, {Mark.SPEECH_START: 1000, Mark.SPEECH_END: 900})


def test_audio_before_the_commit_is_impossible_even_without_the_marks_between() -> None:
    with pytest.raises(MarkOrderError) as caught:
        TurnMarks(0, {Mark.TURN_END: 500, Mark.FIRST_AUDIO: 499})
    assert (caught.value.earlier, caught.value.later) == (Mark.TURN_END, Mark.FIRST_AUDIO)


def test_content_that_rests_on_a_transcript_not_yet_there_is_impossible() -> None:
    with pytest.raises(MarkOrderError) as caught:
        TurnMarks(0, GOOD | {Mark.ASR_FINAL: 2401})
    assert (caught.value.earlier, caught.value.later) == (Mark.ASR_FINAL, Mark.FIRST_CONTENT)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_time_is_a_finite_number(value: float) -> None:
    with pytest.raises(MarkOrderError, match="which is no time"):
        TurnMarks(0, {Mark.TURN_END: value})


@pytest.mark.parametrize(
    "possible",
    [
        {Mark.TURN_END: 1900.0},
        {Mark.ASR_FINAL: 1800.0},
        {
            Mark.REPLY_STARTED: 500.0,
            Mark.SEAT_STARTED: 510.0,
            Mark.REPLY_FIRST_SEGMENT: 600.0,
            Mark.TTS_FIRST_CHUNK: 700.0,
        },
        {Mark.SILENCE_SEEN: 1900.0},
    ],
)
def test_work_done_ahead_and_an_early_commit_are_possible(possible: dict[Mark, float]) -> None:
    assert dict(TurnMarks(0, GOOD | possible)) == GOOD | possible


def test_only_a_bridge_may_be_heard_before_the_reply_is_made() -> None:
    values = GOOD | {Mark.FIRST_AUDIO: 2180.0}
    with pytest.raises(MarkOrderError):
        TurnMarks(0, values)
    assert TurnMarks(0, values, bridged=True)[Mark.FIRST_AUDIO] == 2180.0
    with pytest.raises(MarkOrderError):
        TurnMarks(0, values | {Mark.FIRST_CONTENT: 2350.0}, bridged=True)
