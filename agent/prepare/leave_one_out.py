"""How good likely replies are: each call is predicted from the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agent.prepare.lines import Talk
from agent.prepare.match import Likely, Matcher
from agent.prepare.mining import Move, mine, moves, same_reply, usual_lines
from agent.prepare.replies import Template
from latency_budget.statistics import Share, share

MANNERS = 1.0
"""The chance that a reply to manners is given here: they are told by rules, not by likeness."""


@dataclass(frozen=True, slots=True)
class Guess:
    """One reply of a call that was left out: the template guessed for it, how surely, and whether it fits."""

    talk: str
    template: Template | None
    probability: float
    fits: bool


def guesses(talks: Sequence[Talk]) -> list[Guess]:
    """A guess for every reply; the templates come from the other calls only.

    A guess fits when it is the same reply as one part of what the agent said then: stricter than a listener.
    """
    made = []
    for at, talk in enumerate(talks):
        others = [*talks[:at], *talks[at + 1 :]]
        matcher, usual = Matcher(mine(others)), usual_lines(others)
        for move in moves(talk, usual):
            top = _guessed(matcher, move)
            fits = top is not None and any(same_reply(top.template.text, part) for part in move.parts)
            made.append(
                Guess(
                    talk.name, top.template if top else None, round(top.probability, 4) if top else 0.0, fits
                )
            )
    return made


def _guessed(matcher: Matcher, move: Move) -> Likely | None:
    """As on the live path: manners by their kind, all else by likeness. Templates with slots take their share."""
    if move.manners is not None:
        found = matcher.mannered(move.manners, move.state)
        return None if found is None else Likely(found, MANNERS)
    ranked = matcher.likely(matcher.state_after(move.state), move.caller)
    return next((one for one in ranked if not one.template.slots), None)


def precision(found: Sequence[Guess], threshold: float) -> tuple[Share, Share]:
    """Of the guesses at ``threshold`` or above: the share that fits, and the share of all replies that they are."""
    taken = [one for one in found if one.template is not None and one.probability >= threshold]
    return share(sum(one.fits for one in taken), len(taken)), share(len(taken), len(found))
