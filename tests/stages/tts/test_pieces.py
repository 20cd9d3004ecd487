from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.tts.config import PieceConfig
from stages.tts.pieces import PieceSplitter, is_opener

WORDS = [
    "Sure,",
    "your",
    "balance",
    "is",
    "$1,250.50",
    "as",
    "of",
    "9:30 a.m.",
    "today.",
    "Dr. Smith",
    "555 0142",
]
TEXTS = st.lists(
    st.sampled_from([*WORDS, "3.5", "nine", "\n", "  ", "Yes!", "e.g. this", "No. 5"]), max_size=60
).map(" ".join)


def pieces_of(text: str, size: int = 3, config: PieceConfig | None = None) -> list[str]:
    splitter = PieceSplitter(config)
    pieces = [piece for at in range(0, len(text), size) for piece in splitter.feed(text[at : at + size])]
    return pieces + splitter.finish()


def words(text: str) -> list[str]:
    return re.findall(r"\s*\S+", text)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Sure, I can help with that. What is it?", ["Sure, ", "I can help with that. ", "What is it?"]),
        ("Your balance is $1,250.50 today.", ["Your balance is $1,250.50 today."]),
        ("It opens at 9:30 a.m. on weekdays. And you?", ["It opens at 9:30 a.m. on weekdays. ", "And you?"]),
        ("It opens at 9:30 a.m. Do come in.", ["It opens at 9:30 a.m. ", "Do come in."]),
        ("Dr. Smith is here. Who else?", ["Dr. Smith is here. ", "Who else?"]),
        ("Dial 555 0142 or 3.5 now. Thanks.", ["Dial 555 0142 or 3.5 now. ", "Thanks."]),
        ("On July 5, 2026 we close.", ["On July 5, 2026 we close."]),
        ("Take No. 5 please. It is free.", ["Take No. 5 please. ", "It is free."]),
        ("No. We are closed.", ["No. ", "We are closed."]),
        ("- one\n- two three four five six", ["- one\n", "- two three four five six"]),
        ("He said (really!) yes.", ["He said (really!) ", "yes."]),
        ("Yes", ["Yes"]),
        ("", []),
        ("  \n ", []),
    ],
)
def test_text_is_cut_where_people_pause(text, pieces):
    assert pieces_of(text) == pieces
    assert pieces_of(text, size=1) == pieces


def test_a_first_piece_without_a_comma_ends_after_some_words_but_not_on_a_small_one():
    text = "The branch opens at nine in the morning every day of the week except on Sunday"
    assert pieces_of(text)[0] == "The branch opens at nine "


def test_very_short_sentences_go_together():
    assert pieces_of("Yes. No. OK. I do now.") == ["Yes. ", "No. OK. I do now."]


def test_two_thousand_characters_without_a_stop_are_all_said_in_growing_pieces():
    text = "word " * 400
    pieces = pieces_of(text, size=7)
    lengths = [len(piece) for piece in pieces]
    assert "".join(pieces) == text
    assert max(lengths) <= 240
    assert all(later <= max(30, 2.5 * earlier) + 1 for earlier, later in pairwise(lengths))


def test_two_thousand_characters_without_a_blank_are_cut_by_size():
    assert [len(piece) for piece in pieces_of("x" * 2000)] == [240] * 8 + [80]


def test_a_model_that_goes_quiet_is_flushed_up_to_a_good_place():
    splitter = PieceSplitter()
    assert splitter.feed("We open at") == []
    assert splitter.flush() == ["We open "]
    assert splitter.flush() == []
    assert splitter.finish() == ["at"]


def test_a_splitter_serves_the_next_reply_from_the_start():
    splitter = PieceSplitter()
    splitter.feed("Sure, and then some more words")
    splitter.finish()
    assert splitter.feed("Okay, what ") == ["Okay, "]


@given(TEXTS, st.integers(1, 40))
def test_pieces_are_the_text_and_none_is_blank(text, size):
    pieces = pieces_of(text, size)
    assert "".join(pieces).rstrip() == text.rstrip()
    assert all(piece.strip() for piece in pieces)
    assert all(len(piece) <= 240 for piece in pieces)


@given(TEXTS)
def test_how_the_text_arrives_changes_nothing_but_the_moment(text):
    assert [piece.split() for piece in pieces_of(text, 1)] == [
        piece.split() for piece in pieces_of(text, 1000)
    ]


@given(TEXTS)
def test_numbers_and_names_are_never_cut(text):
    pieces = pieces_of(text)
    for whole in ("$1,250.50", "9:30 a.m.", "Dr. Smith", "555 0142", "3.5", "No. 5"):
        assert sum(piece.count(whole) for piece in pieces) == text.count(whole)


@pytest.mark.parametrize(
    "text", ["Sure.", "Okay,", "Let me see", "Okay, let me see...", "Well,", "OF COURSE!"]
)
def test_a_bare_opener_is_no_content(text):
    assert is_opener(text)


@pytest.mark.parametrize(
    "text", ["Yes.", "No.", "You're welcome.", "Sure, at nine.", "9", "Okay 5", "", "Goodbye."]
)
def test_what_answers_is_content(text):
    assert not is_opener(text)
