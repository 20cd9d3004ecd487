"""Replies from memory: manners, facts, likely replies; and on the live path."""

from __future__ import annotations

import pytest
from pipecat.processors.aggregators.llm_context import LLMContext

from agent.bench.council_tasks import persona_path
from agent.config.strict import load_model
from agent.errors import AgentError
from agent.frames import ReplyFrame
from agent.persona import Persona
from agent.prepare.config import PrepareConfig
from agent.prepare.fitting import shipped_fit
from agent.prepare.load import ready_replies
from agent.prepare.ready import ReadyReplies, ReadyReply
from agent.prepare.replies import find_replies
from agent.processors.ready import ReadyProcessor
from stages.contract import Message

BANK = load_model(persona_path("bank"), Persona)
ASKED = ("assistant", "A card takes five days. Is there anything else I can help you with?")
BYE = "Thank you for calling. Have a great day."
HOURS = "We are open from ten to two on Saturdays."


def ready(**settings: bool | float) -> ReadyReplies:
    made = ready_replies(PrepareConfig(**settings), BANK, find_replies(None, "bank"))  # type: ignore[arg-type]
    assert made is not None
    return made


def messages(*lines: tuple[str, str]) -> list[Message]:
    return [{"role": role, "content": text} for role, text in lines]  # type: ignore[typeddict-item]


def found(text: str, *before: tuple[str, str], **settings: bool | float) -> ReadyReply | None:
    return ready(**settings).find(text, messages(*before))


@pytest.mark.parametrize(
    ("line", "before", "reply"),
    [
        ("No, thank you.", ASKED, BYE),
        ("Perfect, that's all. Thank you, bye.", ("assistant", HOURS), BYE),
        ("Okay, thank you so much.", ("assistant", HOURS), "Is there anything else I can help you with?"),
        ("You too, bye.", ("assistant", BYE), "Bye."),
        ("Thank you.", ("assistant", BYE), "Bye."),
        ("Sorry, what was that?", ("assistant", HOURS), HOURS),
        ("One moment, please.", ("assistant", HOURS), "Sure, take your time."),
    ],
)
def test_manners_are_answered_for_where_the_call_stands(
    line: str, before: tuple[str, str], reply: str
) -> None:
    one = found(line, before)
    assert one is not None
    assert (one.text, one.source) == (reply, "manners")
    assert one.chance == shipped_fit().manners_fit


@pytest.mark.parametrize(
    "line",
    [
        "No, but what would a stock account cost?",
        "Thanks. And do you exchange foreign money?",
        "No.",
        "Thank you, I also lost my purse.",
        "Goodbye is what my son said to his bank.",
    ],
)
def test_manners_with_something_else_in_them_are_left_to_others(line: str) -> None:
    assert found(line, ("assistant", HOURS)) is None


def test_nothing_is_repeated_before_anything_was_said() -> None:
    assert found("Could you say that again?") is None


def test_the_fact_that_answers_is_said_with_its_chance() -> None:
    one = found("Hi, good morning. When are you open on Saturdays?")
    assert one is not None
    assert (one.text, one.source) == (HOURS, "fact")
    assert one.chance >= PrepareConfig().facts_chance


@pytest.mark.parametrize(
    "line",
    [
        "What is the interest on a car loan?",
        "How old must my daughter be to get an account?",
        "I would like to transfer sixty dollars to my brother.",
        "My account number is four four seven one nine.",
        "Who won the game last night?",
    ],
)
def test_what_no_fact_answers_is_left_to_the_model(line: str) -> None:
    assert found(line) is None


def test_a_follow_up_needs_what_was_said_before() -> None:
    before = ("user", "How long does a replacement card take?"), ("assistant", "It takes five working days.")
    one = found("Does it cost anything?", *before)
    assert one is not None
    assert one.text == "A replacement card takes five working days and costs nothing."
    assert found("Does it cost anything?") is None


def test_a_follow_up_about_another_thing_is_left_to_the_model() -> None:
    before = ("user", "What does the savings account pay?"), ("assistant", "It pays three percent a year.")
    assert found("And a fixed deposit for five years?", *before, facts_chance=0.05) is None


def test_each_source_can_be_turned_off() -> None:
    question, bye = "When are you open on Saturdays?", "Thank you, bye."
    assert found(question, facts=False) is None
    assert found(bye, facts=False) is not None
    assert found(bye, manners=False) is None
    assert ready_replies(PrepareConfig(manners=False, facts=False), BANK, None) is None


def test_a_likely_reply_is_said_from_its_chance_on() -> None:
    settings = {"manners": False, "facts": False, "likely": True}
    one = found("No, thank you.", ASKED, likely_chance=0.55, **settings)
    assert one is not None
    assert (one.text, one.source) == (BYE, "likely")
    assert found("No, thank you.", ASKED, likely_chance=0.999, **settings) is None


def test_weights_of_other_features_are_refused(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "fit.yaml"
    path.write_text("made: now\nlines: 3\nmanners_fit: 0.9\nweights: {covered: 1.0}\n")
    with pytest.raises(AgentError, match="bench facts --learn"):
        shipped_fit(path)


def live(*lines: tuple[str, str]) -> ReplyFrame:
    frame = ReplyFrame(LLMContext(list(messages(*lines))), turn=1, reply=1)  # type: ignore[arg-type]
    ReadyProcessor(ready())._fill(frame)
    return frame


def test_a_reply_from_memory_needs_no_model() -> None:
    frame = live(("system", "You are Robin."), ASKED, ("user", "No, thank you."))
    assert (frame.fixed, frame.answers) == (BYE, True)
    assert frame.fit is not None
    assert frame.fit > 0.9


def test_any_other_is_left_to_the_model() -> None:
    assert live(ASKED, ("user", "No, but do you sell cars?")).fixed is None
    assert live(("user", "no thank you"), ASKED).fixed is None
