"""The shipped persona is made for the ear and short enough for a small model."""

from __future__ import annotations

import re

from agent.config.load import load
from agent.persona import Persona


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


def test_the_bank_is_short_enough_for_a_small_model() -> None:
    """All facts at once: still well below a quarter of the context."""
    prompt = load().persona.system_prompt()
    assert len(re.findall(r"\w+|[^\w\s]", prompt)) <= 450


def test_the_bank_speaks_in_sentences() -> None:
    persona = load().persona
    spoken = [persona.greeting, persona.safe_sentence, persona.again_sentence, *persona.facts]
    assert 15 <= len(persona.facts) <= 30
    assert [text for text in spoken if not re.fullmatch(r"[A-Z][\w ,.?'\"]*[.?]", text)] == []
