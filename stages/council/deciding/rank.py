"""Confidence: the answer whose least certain words are the most certain. Pure.

A low quantile of the tokens' log-probabilities tells more than their mean, which common words lift (Fu et al., "Deep
Think with Confidence", 2025; Gupta et al., "Language Model Cascades: Token-level Uncertainty and Beyond", 2024).
"""

from __future__ import annotations

from collections.abc import Sequence

from stages.council.deciding.candidate import Candidate, Decision, decide, sift

QUANTILE = 0.1


def rank(
    candidates: Sequence[Candidate], known: Sequence[str], safe: str, quantile: float = QUANTILE
) -> Decision:
    """The usable candidate with the highest :func:`confidence`; ``safe`` if none is usable."""
    kept, left_out = sift(candidates, known)
    scores = {at: confidence(candidates[at], quantile) for at in kept}
    return decide(candidates, scores, left_out, safe)


def confidence(candidate: Candidate, quantile: float = QUANTILE) -> float:
    """The ``quantile`` of the log-probabilities, between neighbours by weight; minus infinity without any."""
    found = sorted(candidate.logprobs)
    if not found:
        return float("-inf")
    place = quantile * (len(found) - 1)
    low = int(place)
    high = min(low + 1, len(found) - 1)
    return found[low] + (found[high] - found[low]) * (place - low)
