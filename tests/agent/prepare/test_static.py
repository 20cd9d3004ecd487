"""What a persona is sure to say."""

from __future__ import annotations

from agent.config.load import CONFIGS
from agent.config.strict import load_model
from agent.persona import Persona
from agent.prepare.replies import ReplySet, Template
from agent.prepare.static import pieces_of, static_texts
from stages.tts.pieces import PieceSplitter


def persona(name: str = "bank") -> Persona:
    return load_model(CONFIGS / "personas" / f"{name}.yaml", Persona)


def test_a_text_is_cut_as_a_stream_of_it_would_be() -> None:
    whole = "We are open from nine to five, and on Saturdays until two."
    splitter = PieceSplitter()
    streamed = [p.strip() for letter in whole for p in splitter.feed(letter)]
    streamed += [p.strip() for p in splitter.finish()]
    assert pieces_of(whole, PieceSplitter()) == streamed
    assert " ".join(streamed) == whole


def test_the_persona_and_the_replies_without_slots_are_there() -> None:
    replies = ReplySet(
        openers=("Sure.",),
        bridges=("One moment.",),
        templates=(
            Template(name="bye", text="Thank you for calling."),
            Template(name="paid", text="I have paid {amount}."),
        ),
    )
    texts = list(static_texts(persona(), replies, PieceSplitter))
    for wanted in (persona().greeting, persona().safe_sentence, persona().again_sentence):
        assert wanted in texts
    assert {"Sure.", "One moment.", "Thank you for calling."} <= set(texts)
    assert not [text for text in texts if "{" in text or text.startswith("I have paid")]


def test_the_facts_are_there_by_their_first_pieces() -> None:
    texts = set(static_texts(persona(), None, PieceSplitter))
    for fact in persona().facts:
        assert pieces_of(fact, PieceSplitter())[0] in texts
