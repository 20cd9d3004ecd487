"""What the seats of a council are asked: a persona's prompts for one question. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from agent.config.council import CouncilSeatConfig
from agent.persona import Persona
from stages.contract import Message
from stages.council.council import Ask
from stages.council.sample import Sampling


def asks(
    persona: Persona, seats: Sequence[CouncilSeatConfig], question: str, history: Sequence[Message]
) -> list[Ask]:
    """One ask for every reply that a seat writes or scores, in the order of ``seats``."""
    return [ask for seat in seats for ask in _of(persona, seat, question, history)]


def _of(persona: Persona, seat: CouncilSeatConfig, question: str, history: Sequence[Message]) -> list[Ask]:
    asked = persona
    if seat.facts is not None:
        asked = persona.model_copy(update={"facts_per_question": seat.facts})
    messages = asked.ask(question, history)
    if seat.does == "write":
        return [
            Ask(seat.member, f"{seat.member} writes {at + 1}", messages, _sampling(seat, at))
            for at in range(seat.count)
        ]
    fitting = persona.fitting(question, history)[: seat.count]
    options = [*fitting, (persona.safe_sentence, persona.lowest_fit)]
    return [
        Ask(seat.member, f"{seat.member} scores {at + 1}", messages, Sampling(seat.max_tokens), text, fit)
        for at, (text, fit) in enumerate(options)
    ]


def _sampling(seat: CouncilSeatConfig, at: int) -> Sampling:
    if at == 0:
        return Sampling(seat.max_tokens)
    return Sampling(seat.max_tokens, seat.temperature, seat.min_p, seed=at)
