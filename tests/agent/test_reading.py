"""Which stretch of a turn is read next, and the words so far."""

from __future__ import annotations

from agent.reading import Reading, Stretch


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
    assert not reading.overdue(25_999.0)
    assert reading.overdue(26_000.0)
