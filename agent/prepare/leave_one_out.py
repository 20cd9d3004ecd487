"""How good likely replies are: each call is predicted from the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agent.prepare.lines import Talk
from agent.prepare.match import Matcher
from agent.prepare.mining import ALIKE, mine, moves, usual_lines
from agent.prepare.replies import Template
from agent.prepare.similar import likeness, plain
from latency_budget.statistics import Share, share


@dataclass(frozen=True, slots=True)
class Guess:
    """One reply of a call that was left out: the template guessed for it, how surely, and whether it fits."""

    talk: str
    template: Template | None
    probability: float
    fits: bool


def guesses(talks: Sequence[Talk]) -> list[Guess]:
    """A guess for every reply; the templates come from the other calls only.

    A guess fits when the agent's own first words are the same reply: that is stricter than what a listener would take.
    """
    made = []
    for at, talk in enumerate(talks):
        others = [*talks[:at], *talks[at + 1 :]]
        matcher, usual = Matcher(mine(others)), usual_lines(others)
        for move in moves(talk, usual):
            ranked = matcher.likely(matcher.state_after(move.state), move.caller)
            top = next((one for one in ranked if not one.template.slots), None)
            # The chance of the best template; one with slots in front of it takes its share.
            if top is None:
                made.append(Guess(talk.name, None, 0.0, False))
                continue
            fits = likeness(plain(top.template.text), plain(move.reply)) >= ALIKE
            made.append(Guess(talk.name, top.template, top.probability, fits))
    return made


def precision(found: Sequence[Guess], threshold: float) -> tuple[Share, Share]:
    """Of the guesses at ``threshold`` or above: the share that fits, and the share of all replies that they are."""
    taken = [one for one in found if one.template is not None and one.probability >= threshold]
    return share(sum(one.fits for one in taken), len(taken)), share(len(taken), len(found))
