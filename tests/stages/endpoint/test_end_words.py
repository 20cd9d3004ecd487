"""What the words say, by example of each sign."""

from __future__ import annotations

import pytest

from stages.endpoint.words import Asked, asked, plain, wanted_digits, wants_more, word_signs


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("", Asked.NOTHING),
        ("Okay, thank you.", Asked.NOTHING),
        ("Thank you for calling, how can I help you today?", Asked.HELP),
        ("hello my name is sam how can i help you today", Asked.HELP),
        ("Could I have your phone number?", Asked.NUMBER),
        ("Could you spell that for me please?", Asked.NAME),
        ("and what is the address", Asked.ADDRESS),
        ("Is there anything else I can help you with?", Asked.CHOICE),
        ("Would you like it on Monday or on Tuesday?", Asked.CHOICE),
        ("Which account would you like to check?", Asked.OPEN),
        ("What is your name? One moment.", Asked.NOTHING),
    ],
)
def test_what_the_agent_asked(said: str, kind: Asked) -> None:
    assert asked(said) is kind


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("I want to go to the", "hanging"),
        ("well, um", "filler"),
        ("No, that's all, thank you.", "closing"),
        ("Yes, that's right.", "acknowledges"),
        ("Hi, good morning.", "greeting"),
        ("Hi, my name is Sam Smith.", "introduces"),
        ("One moment please.", "waits"),
        ("There is one more thing.", "waits"),
        ("I have a quick question.", "waits"),
        ("Where is my order?", "question"),
        ("five five two", "dictating"),
        ("It is broken.", "full_stop"),
        ("It is broken, ...", "broken_off"),
    ],
)
def test_each_sign_is_seen(text: str, sign: str) -> None:
    assert getattr(word_signs(text), sign) == 1.0


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("Hi, my name is Sam and I need a new card.", "introduces"),
        ("Hello, I lost my card.", "greeting"),
        ("thank you but", "closing"),
        ("Yes, but not on Monday.", "acknowledges"),
        ("That's it.", "hanging"),
        ("It is broken...", "full_stop"),
    ],
)
def test_and_is_not_where_it_is_none(text: str, sign: str) -> None:
    assert getattr(word_signs(text), sign) == 0.0


def test_nothing_said_has_no_sign() -> None:
    signs = word_signs("")
    assert (signs.words, signs.digits) == (0, 0)
    assert not any((signs.hanging, signs.closing, signs.greeting, signs.full_stop, signs.dictating))


def test_digits_are_counted_in_figures_and_words() -> None:
    assert word_signs("five 55-12, oh three").digits == 7


def test_a_phone_number_takes_seven_digits_an_address_five() -> None:
    assert wanted_digits("What is your phone number?") == 7
    assert wanted_digits("What is your address?") == 5
    assert wanted_digits("How can I help you?") == 0


def test_plain_keeps_words_only() -> None:
    assert plain("It\u2019s me, O'Neil -- 5!") == "it's me o'neil 5"


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("I moved last month, and, um,", True),
        ("I want to go to the", True),
        ("It is five five two", True),
        ("I want to go home.", False),
        ("", False),
    ],
)
def test_words_that_want_more(text: str, more: bool) -> None:
    assert wants_more(word_signs(text)) is more
