"""Who answers: a role, a way of speaking, and the facts that it may state."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Sentence = Annotated[str, StringConstraints(min_length=2, max_length=240, strip_whitespace=True)]


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
