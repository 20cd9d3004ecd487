"""A choice between given replies and written ones, by what several signs say together. Pure.

The signs are weighed by a linear model (as the rerankers of Collins and Koo, "Discriminative Reranking for Natural
Language Parsing", 2005).
"""

from __future__ import annotations

from collections.abc import Sequence

from stages.council.deciding.candidate import Candidate, Decision, decide, sift

FIT_WEIGHT = 0.2
"""One point of fit beside one nat of mean log-probability."""


def select(candidates: Sequence[Candidate], known: Sequence[str], safe: str) -> Decision:
    """The usable candidate that the signs favour; ``safe`` where there is none."""
    kept, left_out = sift(candidates, known)
    return decide(candidates, {at: _score(candidates[at]) for at in kept}, left_out, safe)


def _score(candidate: Candidate) -> float:
    mean = sum(candidate.logprobs) / len(candidate.logprobs) if candidate.logprobs else float("-inf")
    return mean + FIT_WEIGHT * candidate.fit
