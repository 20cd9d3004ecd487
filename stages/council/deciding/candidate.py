"""One answer of one seat, and what was decided about several. Pure data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stages.council.ear import unfit
from stages.council.grounding import ungrounded


@dataclass(frozen=True, slots=True)
class Candidate:
    """What one seat said; ``logprobs`` are its tokens' log-probabilities in order, the end mark included.

    ``fault`` says why the seat has nothing to say (failed, late), else "". ``fit`` is how well its text fits the
    question by other means, 0 and more.
    """

    text: str
    logprobs: tuple[float, ...] = ()
    seat: str = ""
    fault: str = ""
    fit: float = 0.0


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A candidate that cannot win, by its place, and why."""

    index: int
    reason: str


@dataclass(frozen=True, slots=True)
class Decision:
    """``index`` is the winner's place among the candidates, None when ``text`` is the safe sentence.

    ``score`` is the way of deciding's own, higher is better; 0 for the safe sentence.
    """

    text: str
    index: int | None
    score: float
    left_out: tuple[LeftOut, ...] = ()


def sift(candidates: Sequence[Candidate], known: Sequence[str]) -> tuple[list[int], tuple[LeftOut, ...]]:
    """Places of the candidates that may be spoken, and those left out with the reason.

    Left out is what failed, what is empty or not for the ear, and what states a value that stands in none of the
    ``known`` texts (the facts and the caller's words).
    """
    kept: list[int] = []
    left: list[LeftOut] = []
    for index, candidate in enumerate(candidates):
        reason = _reason(candidate, known)
        if reason:
            left.append(LeftOut(index, reason))
        else:
            kept.append(index)
    return kept, tuple(left)


def decide(
    candidates: Sequence[Candidate], scores: dict[int, float], left_out: tuple[LeftOut, ...], safe: str
) -> Decision:
    """The best of ``scores`` (place -> score), the earliest among equals; ``safe`` where there is none."""
    if not scores:
        return Decision(safe, None, 0.0, left_out)
    index = min(scores, key=lambda at: (-scores[at], at))
    return Decision(candidates[index].text.strip(), index, scores[index], left_out)


def _reason(candidate: Candidate, known: Sequence[str]) -> str:
    if candidate.fault:
        return candidate.fault
    faults = unfit(candidate.text)
    if faults:
        return "not for the ear: " + ", ".join(faults)
    false = ungrounded(candidate.text, known)
    return "not in the facts: " + ", ".join(false) if false else ""
