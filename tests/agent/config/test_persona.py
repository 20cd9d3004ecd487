"""The shipped persona is made for the ear and short enough for a small model."""

from __future__ import annotations

import re

from agent.config.load import load
from agent.persona import Example, Persona
from stages.contract import Message


def test_the_prompt_in_full() -> None:
    persona = Persona(
        name="Kim",
        role="the voice of a bakery.",
        style="Be brief.",
        greeting="Hello?",
        safe_sentence="I do not know that.",
        again_sentence="Pardon?",
        facts=("We open at six.", "Bread costs 2 dollars."),
    )
    assert persona.system_prompt() == (
        "You are Kim, the voice of a bakery. Be brief.\n"
        "Facts:\n- We open at six.\n- Bread costs 2 dollars.\n"
        'Use only these facts. If they do not answer, say: "I do not know that."'
    )


BAKERY = Persona(
    name="Kim",
    role="the voice of a bakery.",
    style="Be brief.",
    greeting="Hello?",
    safe_sentence="I do not know that.",
    again_sentence="Pardon?",
    facts=("We open at six.", "Bread costs 2 dollars.", "Cakes cost 9 dollars."),
    facts_per_question=2,
    examples=(Example(ask="cake", say="It costs 9 dollars."),),
)


def test_the_prompt_for_a_question_begins_alike_each_time_and_holds_the_best_fact_last() -> None:
    history: list[Message] = [
        {"role": "user", "content": "Do you have bread?"},
        {"role": "assistant", "content": "Yes."},
    ]
    opening: list[Message] = [
        {
            "role": "system",
            "content": "You are Kim, the voice of a bakery. Be brief. Use only the facts given. "
            'If they do not answer, say: "I do not know that."',
        },
        {"role": "user", "content": "Facts: Cakes cost 9 dollars.\nCaller: cake"},
        {"role": "assistant", "content": "It costs 9 dollars."},
    ]
    assert BAKERY.opening() == opening
    assert BAKERY.ask("What does it cost?", history) == [
        *opening,
        *history,
        {
            "role": "user",
            "content": "Facts: Cakes cost 9 dollars. Bread costs 2 dollars.\nCaller: What does it cost?",
        },
    ]
    assert BAKERY.ask("Hm?")[-1]["content"] == "Facts: none.\nCaller: Hm?"


def test_without_chosen_facts_all_stand_in_the_system_prompt() -> None:
    whole = BAKERY.model_copy(update={"facts_per_question": 0, "examples": ()})
    assert whole.ask("Bread?") == [
        {"role": "system", "content": BAKERY.system_prompt()},
        {"role": "user", "content": "Bread?"},
    ]


def test_a_fact_answers_directly_only_where_it_fits() -> None:
    low = BAKERY.model_copy(update={"lowest_fit": 0.5})
    assert low.direct("How much is bread?").text == "Bread costs 2 dollars."
    high = BAKERY.model_copy(update={"lowest_fit": 50.0})
    assert high.direct("How much is bread?").text == "I do not know that."


def test_the_bank_is_short_enough_for_a_small_model() -> None:
    """All facts at once: still well below a quarter of the context."""
    prompt = load().persona.system_prompt()
    assert len(re.findall(r"\w+|[^\w\s]", prompt)) <= 450


def test_the_bank_speaks_in_sentences() -> None:
    persona = load().persona
    spoken = [persona.greeting, persona.safe_sentence, persona.again_sentence, *persona.facts]
    assert 15 <= len(persona.facts) <= 30
    assert [text for text in spoken if not re.fullmatch(r"[A-Z][\w ,.?'\"]*[.?]", text)] == []
