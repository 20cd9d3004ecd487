from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.council.clean import ThinkingFilter

PARTS = st.lists(st.sampled_from(["<think>", "</think>", "<", "think", ">", "</", "a", " b"]), max_size=20)


def heard(parts) -> str:
    thinking = ThinkingFilter()
    return "".join([thinking.feed(part) for part in parts]) + thinking.finish()


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("Hello there", "Hello there"),
        ("<think>no</think>Yes", "Yes"),
        ("A<think>x</think>B<think>y</think>C", "ABC"),
        ("<think>never closed", ""),
        ("5 < 6 <thin", "5 < 6 <thin"),
        ("<<think>a</think>b", "<b"),
    ],
)
def test_thinking_is_dropped_in_one_part_and_letter_by_letter(text, spoken):
    assert heard([text]) == spoken
    assert heard(text) == spoken


@given(PARTS)
def test_how_the_text_arrives_does_not_matter(parts):
    assert heard(parts) == heard(["".join(parts)])


def test_text_is_not_held_back_without_need():
    assert ThinkingFilter().feed("Hello <b") == "Hello <b"
