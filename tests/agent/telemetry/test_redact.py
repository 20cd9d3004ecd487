"""What leaves the machine in place of digits and names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.telemetry.redact import redact, vocabulary


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("My account is 4417 and 20.", "My account is # and #."),
        ("Sure, my last name is Fittilly.", "Sure, my last name is [name]."),
        ("my name is jordan, hello", "my name is [name], hello"),
        ("It's five five five, oh one four two.", "It's # # #, # # # #."),
        ("F-I-T-I-L-L-E.", "[name]."),
        ("Hello Mister baker, thanks.", "Hello Mister [name], thanks."),
        ("I saw Dana's car in Springfield.", "I saw [name] car in [name]."),
        ("Thank you. That's all I need.", "Thank you. That's all I need."),
        ("", ""),
    ],
)
def test_numbers_and_names_are_replaced(said: str, told: str) -> None:
    assert redact(said) == told


def test_the_personas_own_words_are_no_secret() -> None:
    own = vocabulary(["The branch is at 12 Market Street."])
    assert redact("Is it on Market Street or Elm Street?", own) == "Is it on Market Street or [name] Street?"
    assert redact("Market") == "[name]"


@given(st.text())
def test_no_digit_gets_through_and_twice_is_once(text: str) -> None:
    told = redact(text)
    assert not any(sign.isdecimal() for sign in told)
    assert redact(told) == told
