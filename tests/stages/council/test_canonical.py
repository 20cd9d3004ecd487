"""The same thing said in words, digits or signs is the same row of words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.council.deciding.canonical import canonical, contains

TENS_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
SMALL_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
TENS, SMALL = TENS_WORDS.split(), SMALL_WORDS.split()


def in_words(number: int) -> str:
    if number < 20:
        return SMALL[number]
    if number < 100:
        return TENS[number // 10 - 2] + ("" if number % 10 == 0 else f" {SMALL[number % 10]}")
    if number < 1000:
        rest = "" if number % 100 == 0 else f" and {in_words(number % 100)}"
        return f"{SMALL[number // 100]} hundred{rest}"
    rest = "" if number % 1000 == 0 else f" {in_words(number % 1000)}"
    return f"{in_words(number // 1000)} thousand{rest}"


@given(st.integers(0, 999_999))
def test_a_number_in_words_is_the_number_in_digits(number: int) -> None:
    assert canonical(in_words(number)) == canonical(str(number)) == canonical(f"{number:,}") == (str(number),)


@given(st.text())
def test_any_text_is_taken_and_stays_what_it_became(text: str) -> None:
    once = canonical(text)
    assert all(word for word in once)
    assert len(canonical(" ".join(once))) <= len(once)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("We're open 9:00 a.m. to 5 PM", "we open 9 am to 5 pm"),
        ("$2,000 a day", "2000 dollar a day"),
        ("five five five, zero one four two", "5550142"),
        ("call 555-0142.", "call 5550142"),
        ("five five five oh one four two", "5550142"),
        ("7:30 or half past seven", "7 30 or 7 30"),
        ("17:30", "5 30"),
        ("a hundred and thirty-four dollars", "134 dollar"),
        ("twelve hundred", "1200"),
        ("3.5% or three and a half percent or three point five", "3.5 percent or 3.5 percent or 3.5"),
        ("from eight to noon", "from 8 to 12"),
        ("nine and ten", "9 and 10"),
        ("five to two", "5 to 2"),
        ("I can't, you cannot, we don't", "i can not you can not we do not"),
        ("24/7", "at any hour"),
        ("the 3rd of May", "the 3 of may"),
        ("oh no", "oh no"),
        ("", ""),
    ],
)
def test_exact_rows(text: str, words: str) -> None:
    assert canonical(text) == tuple(words.split())


def test_a_value_stands_in_a_row_only_without_a_gap() -> None:
    row = canonical("It costs 20 dollars a tire.")
    assert contains(row, canonical("twenty dollars"))
    assert not contains(row, canonical("costs dollars"))
    assert not contains(row, canonical("120 dollars"))
