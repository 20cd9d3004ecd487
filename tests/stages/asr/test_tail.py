from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.asr.tail import cut_repeats, longest_run, spoken_tokens

STAMP = 1000
WORDS = st.lists(st.sampled_from(["i", "want", "a", "latte", "five", "no", "please."]), max_size=30)


def at(seconds: float) -> int:
    return STAMP + round(seconds / 0.02)


def test_the_end_stamp_ends_the_text():
    tokens = [at(0), 1, 2, 3, at(1.0), at(1.0), 1, 2, 3, at(2.0)]
    assert spoken_tokens(tokens, first_stamp=STAMP, duration_s=0.8) == [1, 2, 3]


def test_stamps_inside_the_utterance_do_not_end_it():
    tokens = [at(0), 1, at(1.0), at(1.4), 2, at(2.0)]
    assert spoken_tokens(tokens, first_stamp=STAMP, duration_s=2.0) == [1, 2]


def test_a_late_first_stamp_does_not_lose_the_words():
    assert spoken_tokens([at(2.0), 1, 2], first_stamp=STAMP, duration_s=0.5) == [1, 2]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I want a latte. I want a latte.", "I want a latte."),
        ("Book a room. book a room. Book a", "Book a room."),
        ("Okay um um um um um", "Okay um"),
        ("2018... 2018... 2018... 2018... 2018...", "2018..."),
        ("no, no, no", "no, no, no"),
        ("Bye bye.", "Bye bye."),
        ("five five one, five five one", "five five one, five five one"),
        ("", ""),
    ],
)
def test_repeated_tails_are_cut_and_what_people_say_twice_is_not(said, kept):
    assert cut_repeats(said, run=5, seconds=10.0) == kept


@pytest.mark.parametrize(
    ("said", "seconds", "kept"),
    [
        ("All right, Sam. All right, Sam.", 0.9, "All right, Sam."),
        ("All right, Sam. All right,", 0.9, "All right, Sam."),
        ("Thank you. Thank you.", 1.6, "Thank you. Thank you."),
        ("Bye bye.", 0.6, "Bye bye."),
        ("Goodbye. Goodbye.", 0.5, "Goodbye."),
        ("An extraordinarily uninteresting appointment", 0.9, "An extraordinarily uninteresting appointment"),
    ],
)
def test_what_nobody_could_have_said_in_the_time_is_cut_at_its_repetition(said, seconds, kept):
    assert cut_repeats(said, run=5, seconds=seconds) == kept


@given(WORDS)
def test_cutting_keeps_a_beginning_and_loses_no_kind_of_word(words):
    text = " ".join(words)
    kept = cut_repeats(text, run=5, seconds=30.0)
    assert text.startswith(kept)
    assert set(kept.split()) == set(words)


@pytest.mark.parametrize(
    ("said", "run"),
    [("", 0), ("hello there", 1), ("no no no", 3), ("x so it is so it is", 2), ("a b a b a b", 3)],
)
def test_the_longest_run_is_counted(said, run):
    assert longest_run(said) == run
