"""Which texts a persona is sure, or likely, to say word for word."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from agent.persona import Persona
from agent.prepare.replies import ReplySet
from stages.tts.pieces import PieceSplitter


def static_texts(
    persona: Persona, replies: ReplySet | None, splitter: Callable[[], PieceSplitter]
) -> Iterator[str]:
    """The persona's sentences, the replies without slots, and the facts.

    Each whole and in the pieces that a streamed reply would be cut into: a model that answers with a fact says it
    in those, and the first one is what the caller waits for.
    """
    whole = [persona.greeting, persona.safe_sentence, persona.again_sentence]
    if replies is not None:
        whole += [
            *replies.bridges,
            *replies.openers,
            *(one.text for one in replies.templates if not one.slots),
        ]
    yield from whole
    for text in (*whole, *persona.facts):
        yield from pieces_of(text, splitter())


def pieces_of(text: str, splitter: PieceSplitter) -> list[str]:
    """``text`` in the pieces in which it would be spoken if it came as a stream, word by word."""
    pieces = [piece for word in text.split(" ") for piece in splitter.feed(f"{word} ")]
    return [piece.strip() for piece in (*pieces, *splitter.finish()) if piece.strip()]
