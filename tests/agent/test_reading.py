"""Which stretch of a turn is read next, and the words so far."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agent.reading import Reading, Stretch, join_shared


def test_a_short_turn_is_read_from_its_pre_roll_each_time() -> None:
    reading = Reading.of_turn(1, 1000.0)
    reading, stretch = reading.next_stretch(2000.0, 2064.0)
    assert stretch == Stretch(1, 760.0, 2064.0)
    reading = reading.read(stretch, "I want to")
    reading, stretch = reading.next_stretch(3000.0, 3064.0)
    assert stretch == Stretch(1, 760.0, 3064.0)
    reading = reading.read(stretch, "I want to go home.")
    assert reading.text == "I want to go home."


def test_the_pre_roll_does_not_reach_before_the_stream() -> None:
    assert Reading.of_turn(1, 100.0).start_ms == 0.0


def test_a_long_stretch_keeps_its_words_and_the_next_begins_in_the_pause() -> None:
    reading = Reading.of_turn(1, 240.0)
    reading, stretch = reading.next_stretch(9000.0, 9064.0)
    reading = reading.read(stretch, "a long story")
    reading, stretch = reading.next_stretch(12000.0, 12064.0)
    assert stretch == Stretch(1, 9064.0, 12064.0)
    reading = reading.read(stretch, "and its end")
    assert reading.text == "a long story and its end"


def test_the_cost_of_a_minute_with_pauses_is_flat() -> None:
    reading = Reading.of_turn(1, 0.0)
    longest = 0.0
    for end in range(3000, 60_001, 3000):
        reading, stretch = reading.next_stretch(end, end + 64.0)
        longest = max(longest, stretch.end_ms - stretch.start_ms)
        reading = reading.read(stretch, f"part {end}")
    assert longest <= 12_000.0
    assert reading.text.split("part ")[1:][0].strip() == "9000"


def test_the_same_pause_read_twice_keeps_only_the_newest_words() -> None:
    reading = Reading.of_turn(1, 0.0)
    reading, stretch = reading.next_stretch(9000.0, 9064.0)
    reading = reading.read(stretch, "first")
    reading, again = reading.next_stretch(9000.0, 9160.0)
    assert again.start_ms == stretch.start_ms
    assert reading.read(again, "second").text == "second"


def test_words_of_a_stretch_that_is_no_longer_open_are_dropped() -> None:
    reading = Reading.of_turn(2, 5000.0)
    assert reading.read(Stretch(1, 760.0, 2000.0), "of another turn").text == ""


def test_unbroken_speech_is_cut_before_the_window_overflows() -> None:
    reading = Reading.of_turn(1, 0.0)
    assert not reading.overdue(23_999.0)
    assert reading.overdue(24_000.0)


def long_read() -> Reading:
    reading = Reading.of_turn(1, 240.0)
    return reading.read(reading.stretch(9064.0), "a long story")


def test_a_long_stretch_is_closed_in_a_pause_that_lasts() -> None:
    reading = long_read()
    assert reading.in_pause(9000.0, 9168.0) is reading
    closed = reading.in_pause(9000.0, 9200.0)
    assert (closed.start_ms, closed.fixed, closed.text) == (9064.0, "a long story", "a long story")


def test_a_pause_closes_nothing_that_is_short_or_was_not_read_to_its_end() -> None:
    short = Reading.of_turn(1, 240.0)
    short = short.read(short.stretch(8000.0 - 1.0), "short")
    assert short.in_pause(7900.0, 8500.0) is short
    behind = long_read()
    assert behind.in_pause(9100.0, 9500.0) is behind


def test_silence_before_the_caller_goes_on_is_left_out() -> None:
    closed = long_read().in_pause(9000.0, 9200.0)
    assert closed.resumed(12_000.0, 9000.0).start_ms == 12_000.0 - 240.0
    assert closed.resumed(9200.0, 9000.0).start_ms == 9064.0


def test_nothing_that_was_spoken_is_left_out() -> None:
    closed = long_read().in_pause(9000.0, 9200.0)
    assert closed.resumed(15_000.0, 13_000.0).start_ms == 9064.0
    assert Reading.of_turn(1, 1000.0).resumed(5000.0, 2000.0).start_ms == 760.0


def test_a_cut_in_speech_joins_both_stretches_at_their_common_words() -> None:
    reading = Reading.of_turn(1, 240.0)
    reading = reading.cut(reading.stretch(24_000.0), "and then I went to the st", 22_000.0)
    assert reading.start_ms == 22_000.0
    reading = reading.read(reading.stretch(25_000.0), "Went to the station, and home.")
    assert reading.text == "and then I went to the station, and home."


def test_a_cut_of_a_stretch_that_is_no_longer_open_is_dropped() -> None:
    reading = Reading.of_turn(2, 5000.0)
    assert reading.cut(Stretch(1, 760.0, 24_000.0), "of another turn", 22_000.0) is reading


def test_texts_without_common_words_stand_one_after_the_other() -> None:
    assert join_shared("one two", "three four") == "one two three four"
    assert join_shared("", "three") == "three"
    assert join_shared("one", "") == "one"


def test_one_common_word_joins_only_at_the_joint() -> None:
    assert join_shared("give me the", "the book") == "give me the book"
    assert join_shared("the book is red", "I see the sun") == "the book is red I see the sun"


@given(st.integers(4, 40), st.integers(0, 40), st.integers(2, 12), st.booleans())
def test_no_word_is_lost_or_doubled_at_a_cut(left: int, right: int, shared: int, torn: bool) -> None:
    """Whatever the lengths: words shared by both sides come once, a word torn at the cut is dropped."""
    shared = min(shared, left)
    words = [f"w{i}" for i in range(left + right)]
    ahead = words[:left] + (["torn"] if torn else [])
    behind = (["orn"] if torn else []) + words[left - shared :]
    assert join_shared(" ".join(ahead), " ".join(behind)) == " ".join(words)
