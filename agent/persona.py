"""Who answers: a role, a way of speaking, and the facts that it may state."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from stages.contract import Message
from stages.council.deciding.candidate import Decision
from stages.council.deciding.direct import LOWEST_FIT, direct
from stages.council.facts import FactIndex

Sentence = Annotated[str, StringConstraints(min_length=2, max_length=240, strip_whitespace=True)]
_BEFORE = 2
"""Lines of the conversation that help to find the facts: the caller's last question and what was answered."""


class Example(BaseModel):
    """A question and its answer, shown to the model before the conversation."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    ask: Sentence = Field(description="what a caller says")
    say: Sentence = Field(description="the right answer, as it should sound")


class Persona(BaseModel):
    """One persona with its fact sheet. All texts are made for the ear: no lists, no symbols."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1, max_length=40, description="the name that it gives")
    role: Sentence = Field(description="what it is, after `You are NAME,`")
    style: Sentence = Field(description="how it speaks")
    greeting: Sentence = Field(description="the first thing that a caller hears")
    safe_sentence: Sentence = Field(
        description="said when no fact answers, and at the deadline when nothing else is ready"
    )
    again_sentence: Sentence = Field(description="asks the caller to repeat when no words were understood")
    facts: tuple[Sentence, ...] = Field(
        min_length=1, max_length=60, description="what it knows, one short sentence each"
    )
    synonyms: dict[str, tuple[Sentence, ...]] = Field(
        default_factory=dict, description="what callers say for a word of the facts"
    )
    facts_per_question: int = Field(
        1,
        ge=0,
        le=20,
        description="facts that are put before each question; 0: all stand in the system prompt",
    )
    examples: tuple[Example, ...] = Field(
        (), max_length=12, description="questions with right answers, shown to the model before the call"
    )
    lowest_fit: float = Field(
        LOWEST_FIT, ge=0, description="a fact that fits the question less is not spoken as the answer"
    )

    def system_prompt(self) -> str:
        """The system message: the same text on every turn, so that it stays in the model's cache.

        Small models follow a plain list of sentences better than headings; what to do without a fact comes
        last, where they still remember it.
        """
        facts = "\n".join(f"- {fact}" for fact in self.facts)
        return (
            f"You are {self.name}, {self.role} {self.style}\n"
            f"Facts:\n{facts}\n"
            f'Use only these facts. If they do not answer, say: "{self.safe_sentence}"'
        )

    def opening(self) -> list[Message]:
        """What stands before the conversation, the same on every turn: the system message and the examples."""
        if not self.facts_per_question:
            system = self.system_prompt()
        else:
            system = (
                f"You are {self.name}, {self.role} {self.style} Use only the facts given. "
                f'If they do not answer, say: "{self.safe_sentence}"'
            )
        messages: list[Message] = [{"role": "system", "content": system}]
        for example in self.examples:
            messages.append({"role": "user", "content": self.question(example.ask)})
            messages.append({"role": "assistant", "content": example.say})
        return messages

    def ask(self, question: str, history: Sequence[Message] = ()) -> list[Message]:
        """The prompt for ``question`` after ``history`` (caller and agent by turns, without a system message).

        The beginning is :meth:`opening`; the facts that matter come with the question, the best one last.
        """
        before = [line["content"] for line in history[-_BEFORE:]]
        return [*self.opening(), *history, {"role": "user", "content": self.question(question, before)}]

    def question(self, text: str, before: Sequence[str] = ()) -> str:
        """``text`` with the facts that fit it and the lines ``before`` it."""
        if not self.facts_per_question:
            return text
        facts = self.index.best(text, self.facts_per_question, before)
        return f"Facts: {' '.join(reversed(facts)) or 'none.'}\nCaller: {text}"

    def direct(self, question: str, history: Sequence[Message] = ()) -> Decision:
        """The fact that answers ``question``, without a model; the safe sentence where none fits well enough."""
        before = [line["content"] for line in history[-_BEFORE:]]
        return direct(self.index, question, before, self.safe_sentence, self.lowest_fit)

    def fitting(self, question: str, history: Sequence[Message] = ()) -> list[tuple[str, float]]:
        """The facts that share something with ``question``, and how well each fits; the best one first."""
        scores = self.index.scores(question, [line["content"] for line in history[-_BEFORE:]])
        order = sorted(range(len(scores)), key=lambda at: (-scores[at], at))
        return [(self.facts[at], scores[at]) for at in order if scores[at] > 0]

    def known(self) -> list[str]:
        """What a reply may state besides the caller's own words: for the grounding check."""
        return [self.name, self.role, self.greeting, self.safe_sentence, *self.facts]

    @cached_property
    def index(self) -> FactIndex:
        """The facts, ready to be asked."""
        return FactIndex(self.facts, self.synonyms)
