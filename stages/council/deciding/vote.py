"""Agreement in meaning: the answer that is most like all the others. Pure.

Minimum Bayes risk decoding (Kumar and Byrne, "Minimum Bayes-Risk Decoding for Statistical Machine Translation", 2004)
with a cheap similarity in place of a learned one; for free text what self-consistency (Wang et al., 2023) is for sums.
"""

from __future__ import annotations

from collections.abc import Sequence

from stages.council.deciding.candidate import Candidate, Decision, decide, sift
from stages.council.deciding.similarity import similarity


def vote(candidates: Sequence[Candidate], known: Sequence[str], safe: str) -> Decision:
    """The usable candidate with the highest mean similarity to the usable ones, itself included; ``safe`` if none.

    ``known`` are the facts and the caller's words.
    """
    kept, left_out = sift(candidates, known)
    scores = {
        at: sum(similarity(candidates[at].text, candidates[other].text) for other in kept) / len(kept)
        for at in kept
    }
    return decide(candidates, scores, left_out, safe)
