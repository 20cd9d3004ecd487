"""The reply to a turn that is there already: manners, a likely reply, or the fact that answers. None: ask a model.

Every reply is checked against the words that it is for: what fits half a sentence need not fit the whole one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from agent.prepare.match import Matcher
from stages.contract import Message
from stages.council.fact_fit import FactFit
from stages.council.social import Manners, manners_of

Source = Literal["manners", "likely", "fact"]
BEFORE = 2
"""Lines of the conversation that a question may lean on: the caller's last one and what was answered."""


@dataclass(frozen=True, slots=True)
class ReadyReply:
    """What can be said at once, where it comes from, and the probability that it fits."""

    text: str
    source: Source
    chance: float


@dataclass(frozen=True, slots=True)
class Sureness:
    """From which probability each source may speak without a model; None: never."""

    manners: bool = False
    fact: float | None = None
    likely: float | None = None


class ReadyReplies:
    """All that one persona has ready. Immutable, quick (about a millisecond), and without a model."""

    def __init__(
        self, facts: FactFit, likely: Matcher | None, sure: Sureness, manners_fit: float = 1.0
    ) -> None:
        """``manners_fit``: how often a reply to manners was seen to fit."""
        self._facts, self._likely, self._sure = facts, likely, sure
        self._manners_fit = manners_fit

    def find(self, text: str, history: Sequence[Message]) -> ReadyReply | None:
        """The reply to ``text`` after ``history`` that is sure enough to be said; None where a model has to answer."""
        before = [line["content"] for line in history if line["role"] != "system"][-BEFORE:]
        said = next((line["content"] for line in reversed(history) if line["role"] == "assistant"), "")
        if self._sure.manners and (kind := manners_of(text, said)) is not None:
            return self._manners(kind, said)
        return self._fact(text, before) or self._known(text, said)

    def _manners(self, kind: Manners, said: str) -> ReadyReply | None:
        if self._likely is None:
            return None
        if kind == "again":
            return ReadyReply(said, "manners", self._manners_fit) if said else None
        reply = self._likely.mannered(kind, said)
        return ReadyReply(reply.text, "manners", self._manners_fit) if reply else None

    def _fact(self, text: str, before: Sequence[str]) -> ReadyReply | None:
        if self._sure.fact is None:
            return None
        found = self._facts.best(text, before)
        if found is None or found.probability < self._sure.fact:
            return None
        return ReadyReply(self._facts.text(found.index), "fact", found.probability)

    def _known(self, text: str, said: str) -> ReadyReply | None:
        if self._likely is None or self._sure.likely is None:
            return None
        ranked = self._likely.likely(self._likely.state_after(said), text)
        if not ranked or ranked[0].probability < self._sure.likely or ranked[0].template.slots:
            return None
        return ReadyReply(ranked[0].template.text, "likely", ranked[0].probability)
