"""A cheap answer first, and the next larger seat only where it is not sure. Pure.

Chen et al., "FrugalGPT" (2023). Here the first stage costs nothing: a fact of the sheet, spoken as it stands.
"""

from __future__ import annotations

from collections.abc import Sequence

from stages.council.deciding.candidate import Candidate, Decision, decide, sift
from stages.council.deciding.rank import confidence


def cascade(
    stages: Sequence[Candidate], gates: Sequence[float], known: Sequence[str], safe: str
) -> Decision | None:
    """The first usable candidate whose confidence reaches its gate; None while a later stage should be asked.

    ``stages`` are the answers so far, cheapest first; ``gates`` has one lowest confidence for every stage there is.
    When all have answered and none passed, the most confident usable one is taken, else ``safe``.
    """
    kept, left_out = sift(stages, known)
    for at in kept:
        if confidence(stages[at]) >= gates[at]:
            return decide(stages, {at: confidence(stages[at])}, left_out, safe)
    if len(stages) < len(gates):
        return None
    return decide(stages, {at: confidence(stages[at]) for at in kept}, left_out, safe)
