from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.tts.text import speakable


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("Hello there.", "Hello there."),
        ("", ""),
        (" \n\t ", ""),
        ("😀 👍🏽 ❤️", ""),
        ("...", ""),
        ("Great 😀 news!", "Great news!"),
        ("**Bold** and `code` and _this_", "Bold and code and this"),
        ("# Title\n- one\n- two\n1. three", "Title. one. two. three"),
        ("See [our site](https://bank.example/a?b=1) now", "See our site now"),
        ("Go to https://www.bank.example/path?x=1 today", "Go to bank.example today"),
        ("| Day | Opens |\n|---|---|\n| Monday | nine |", "Day, Opens. Monday, nine"),
        ("```python\nprint(1)\n```", ""),
        ("Done:\n```\nx = 1", "Done:"),
        ("a < b > c", "a < b > c"),
        ("<b>Hi</b>", "Hi"),
        ("It costs $1,250.50.", "It costs 1,250 dollars and 50 cents."),
        ("Up to 2, 000 dollars on July 5, 2026.", "Up to 2,000 dollars on July 5, 2026."),
        ("It costs $1.", "It costs 1 dollar."),
        (
            "It costs $3.05 or $20.00 or $2 million",
            "It costs 3 dollars and 5 cents or 20 dollars or 2 million dollars",
        ),
        ("Dr. Smith & Co", "Dr Smith and Co"),
        ("Call 555 0142, or 555-201-0142.", "Call 5 5 5, 0 1 4 2, or 5 5 5, 2 0 1, 0 1 4 2."),
        ("Open 9:30 to 17:00 in 2026", "Open 9:30 to 17:00 in 2026"),
        ("It's 3.5% a year", "It's 3.5% a year"),
    ],
)
def test_what_is_written_is_said_in_plain_words(written, spoken):
    assert speakable(written) == spoken


@given(st.text(max_size=200))
def test_any_text_gives_one_line_of_speech_or_nothing(text):
    spoken = speakable(text)
    assert spoken == " ".join(spoken.split())
    assert not spoken or any(letter.isalnum() for letter in spoken)


@given(st.text(alphabet="|*_#`~^<>[]()\\-+ \n\t😀", max_size=200))
def test_marks_alone_are_nothing_to_say(text):
    assert speakable(text) == ""
