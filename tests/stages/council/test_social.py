"""Manners are told from everything that carries a wish."""

from __future__ import annotations

import pytest

from stages.council.acts import act_of, gives
from stages.council.social import asks_for_more, manners_of, takes_leave


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("Thank you so much for your help.", "thanks"),
        ("okay great thanks", "thanks"),
        ("That's all I needed to know, thank you.", "farewell"),
        ("Have a nice weekend!", "farewell"),
        ("One second, let me get a pen.", "wait"),
        ("Sorry, I didn't catch that.", "again"),
        ("Can you say that again, please?", "again"),
        ("Hi, my name is Laura Bennett.", "greeting"),
        ("Good morning.", "greeting"),
        ("", None),
        ("Yes.", None),
        ("Thank you, but what about my card?", None),
        ("Good morning, I lost my wallet.", None),
        ("Can I have that now?", None),
    ],
)
def test_manners_and_nothing_else(line: str, kind: str | None) -> None:
    assert manners_of(line) == kind


def test_no_is_a_farewell_only_after_the_question_for_more() -> None:
    assert manners_of("No, I don't think so.", "Is there anything else I can do?") == "farewell"
    assert manners_of("No, I don't think so.", "Is it a debit card?") is None
    assert manners_of("Thank you.", "Anything else?") == "farewell"


def test_what_agents_say_at_the_end() -> None:
    assert asks_for_more("It costs five dollars. Is there anything else I can help you with?")
    assert not asks_for_more("It costs five dollars.")
    assert takes_leave("Alright, thank you for calling.")
    assert not takes_leave("Which account would you like to check?")


def test_an_act_names_the_kind_of_answer_that_is_wanted() -> None:
    assert act_of("How much is it?").wants == {"cost"}
    assert act_of("Where is the branch?").wants == {"place"}
    assert act_of("How long does it take?").wants == {"duration"}
    assert act_of("And on Saturdays?").goes_on
    assert act_of("My name is Laura.").states
    assert not act_of("I lost my card.").asks


def test_a_fact_gives_kinds_of_answers() -> None:
    assert gives("The branch is at 12 Market Street.") == {"place", "count"}
    assert {"cost", "duration"} <= gives("A wire costs 45 dollars and takes three working days.")
    assert "phone" in gives("For towing, call 555 0177 at any hour.")
