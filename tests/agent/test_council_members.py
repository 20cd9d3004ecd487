"""The council's members are the configuration's seats, the fast one's weights shared."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.config.council import CouncilConfig, CouncilSeatConfig
from agent.config.model import Config
from agent.council_members import open_seats
from agent.errors import AgentError
from agent.models.store import Store
from agent.persona import Persona
from agent.seats import asks
from stages.contract import Message
from stages.council.config import SeatConfig
from stages.fakes import FakeSeat

PERSONA = Persona(
    name="Kim",
    role="the voice of a bakery.",
    style="Be brief.",
    greeting="Hello?",
    safe_sentence="We can call you back.",
    again_sentence="Pardon?",
    facts=("We open at six.", "Bread costs 2 dollars.", "White bread costs 3 dollars."),
)


def proven(config: SeatConfig, path: Path) -> SeatConfig:
    return config


def test_the_fast_seat_is_shared_and_a_name_that_is_no_seat_is_an_error(tmp_path: Path) -> None:
    fast = FakeSeat()
    seats = open_seats(Config(), fast, Store(tmp_path), proven)
    assert list(seats) == ["fast"]
    assert seats["fast"] is fast
    assert open_seats(Config(council=CouncilConfig(seats=())), fast, Store(tmp_path), proven) == {}
    wrong = Config(council=CouncilConfig(seats=(CouncilSeatConfig(member="large"),)))
    with pytest.raises(AgentError, match=r"member 'large'.*There are: fast"):
        open_seats(wrong, fast, Store(tmp_path), proven)


def test_a_scoring_seat_weighs_the_best_facts_and_the_safe_sentence() -> None:
    made = asks(PERSONA, [CouncilSeatConfig(count=2, facts=2)], "How much is white bread?", ())
    assert [ask.reply for ask in made] == [PERSONA.facts[2], PERSONA.facts[1], PERSONA.safe_sentence]
    assert made[0].fit > made[1].fit > 0
    assert made[2].fit == PERSONA.lowest_fit
    assert {str(ask.messages) for ask in made} == {str(made[0].messages)}
    assert made[0].messages[:1] == PERSONA.opening()


def test_a_writing_seat_samples_from_the_second_reply_on() -> None:
    history = [Message(role="user", content="Hi."), Message(role="assistant", content="Hello.")]
    seat = CouncilSeatConfig(does="write", count=3, temperature=0.5, max_tokens=20)
    made = asks(PERSONA, [seat], "Bread?", history)
    assert [ask.reply for ask in made] == [None] * 3
    assert [ask.sampling.temperature for ask in made] == [0.0, 0.5, 0.5]
    assert [ask.sampling.seed for ask in made] == [0, 1, 2]
    assert made[0].messages == PERSONA.ask("Bread?", history)
