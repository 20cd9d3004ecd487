"""Values that stand in no fact and no caller's word are found, and others are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.council.grounding import ungrounded

FACTS = (
    "We are open from nine to five on weekdays.",
    "To report a lost card, call 555 0142 at any hour.",
    "A replacement card takes five working days.",
    "The checking account costs 4 dollars a month.",
    "The branch is at 12 Market Street.",
)


@pytest.mark.parametrize(
    ("reply", "false"),
    [
        ("It costs four dollars a month.", ()),
        ("It costs $4.00 a month.", ()),
        ("It costs 5 dollars a month.", ("5 dollar",)),
        ("It takes 4 working days.", ("4 day",)),
        ("It takes 5 days.", ()),
        ("Please call 555-0142, at any time, 24/7.", ()),
        ("Please call 555 0143.", ("5550143",)),
        ("Yes, on Tuesday from 9 to 5.", ()),
        ("Yes, on Saturday.", ("saturday",)),
        ("We are at 12 Market Street.", ()),
        ("We are on Harbor Road.", ("harbor", "road")),
        ("No one can do that, and that is the one thing.", ()),
        ("It takes 4 to 5 dollars.", ("5 dollar",)),
        ("It takes one week.", ("1 week",)),
        ("Sure. Certainly. Our branch can do that.", ()),
        ("", ()),
    ],
)
def test_exact(reply: str, false: tuple[str, ...]) -> None:
    assert ungrounded(reply, FACTS) == false


def test_both_ends_of_a_range_have_its_unit() -> None:
    known = ["It takes three to five working days."]
    assert ungrounded("It takes 3 days, at most 5 days.", known) == ()
    assert ungrounded("It costs 3 dollars.", known) == ("3 dollar",)


def test_what_the_caller_said_is_grounded() -> None:
    reply = "No, 3,000 dollars is too much for Spain."
    assert ungrounded(reply, FACTS) == ("3000 dollar", "spain")
    assert ungrounded(reply, [*FACTS, "can i send three thousand dollars to spain"]) == ()


@given(st.lists(st.sampled_from(FACTS), min_size=1))
def test_facts_are_grounded_in_themselves_in_any_order(facts: list[str]) -> None:
    assert ungrounded(" ".join(facts), FACTS) == ()


@given(st.integers(10, 10_000))
def test_an_amount_is_grounded_exactly_when_it_stands_there(amount: int) -> None:
    assert ungrounded(f"It costs {amount} dollars.", FACTS) == (f"{amount} dollar",)
    assert ungrounded(f"It costs {amount} dollars.", [f"The fee is ${amount:,}."]) == ()


@given(st.text(), st.lists(st.text(), max_size=3))
def test_more_known_text_never_makes_more_false(reply: str, known: list[str]) -> None:
    assert set(ungrounded(reply, [*FACTS, *known])) <= set(ungrounded(reply, FACTS))
