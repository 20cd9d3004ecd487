"""Was an answer right? Pure: the same words always give the same verdict."""

from __future__ import annotations

from dataclasses import dataclass

from agent.bench.council_tasks import Task
from agent.persona import Persona
from stages.council.deciding.canonical import canonical, contains
from stages.council.grounding import ungrounded

_DECLINES = tuple(
    canonical(phrase)
    for phrase in (
        "not sure",
        "not know",
        "not have",
        "no information",
        "can not help",
        "can only help",
        "can not answer",
        "can not assist",
        "can not provide",
        "not able to",
        "unable to",
        "call you back",
        "can write to you",
    )
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """``missing`` and ``wrong`` are the values at fault; ``false`` what stands in no fact and no caller's word."""

    right: bool
    declined: bool
    missing: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    false: tuple[str, ...] = ()


def check(task: Task, persona: Persona, reply: str) -> Verdict:
    """Judge ``reply``. A value counts in words or digits; a reply that gives way to a colleague answers nothing."""
    words = canonical(reply)
    safe = contains(words, canonical(persona.safe_sentence)[:4])
    declined = safe or any(contains(words, phrase) for phrase in _DECLINES)
    wrong = tuple(value for value in task.avoids if contains(words, canonical(value)))
    false = ungrounded(reply, known(task, persona))
    if task.declines:
        return Verdict(declined and not wrong and not false, declined, (), wrong, false)
    choices = [(value,) if isinstance(value, str) else value for value in task.holds]
    missing = tuple(
        " or ".join(choice)
        for choice in choices
        if not any(contains(words, canonical(value)) for value in choice)
    )
    return Verdict(not (missing or wrong or safe), declined, missing, wrong, false)


def known(task: Task, persona: Persona) -> list[str]:
    """What a reply may state: the persona's own texts and the caller's words, not the agent's earlier lines."""
    return [*persona.known(), *task.history[::2], task.ask]
