"""The fused model as a policy of the benchmark: a call it was trained on is judged by weights that never saw it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agent.bench.turn_end_evidence import Asked
from agent.bench.turn_end_policy import LEAST_MS, WORDS_KNOWN_MS, evidence_at
from agent.bench.turn_end_walk import WINDOW_MS
from stages.endpoint.fused import KNOTS_MS, TurnEndWeights, load_weights, weights_from
from stages.endpoint.signs import head_of


@dataclass(frozen=True)
class HeldOut:
    """The shipped weights, and for each call of the training the weights of the fold that left it out."""

    shipped: TurnEndWeights
    folds: Mapping[str, TurnEndWeights]

    def of(self, call: str) -> TurnEndWeights:
        """Weights that were fitted without ``call``."""
        return self.folds.get(call, self.shipped)


FOLDS = Path(__file__).parent / "data" / "turn_end_folds.json"


def load_held_out(weights: Path | None = None) -> HeldOut:
    """The shipped weights and their folds; weights of one's own have none, and judge every call."""
    raw = json.loads(FOLDS.read_text(encoding="utf-8")) if weights is None else {}
    return HeldOut(load_weights(weights), {name: weights_from(data) for name, data in raw.items()})


@dataclass
class Fused:
    """Commits in the first window from ``least_ms`` on whose log-odds reach ``demanded``, or at the time-out.

    ``demanded`` None takes it from each fold's own calibration for ``cut_ins``.
    """

    weights: HeldOut
    cut_ins: float
    demanded: float | None = None
    timeout_ms: float = 3000.0
    least_ms: float = LEAST_MS
    traces: dict[int, list[tuple[float, float]]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """How the table calls it."""
        return f"fused, cut_ins {self.cut_ins:g}"

    def commit_ms(self, asked: Asked) -> float:
        """See :class:`agent.bench.turn_end_policy.Policy`."""
        demanded = self.demanded
        if demanded is None:
            demanded = self.weights.of(asked.call).log_odds_for(self.cut_ins)
        trace = self.traces.get(id(asked))
        if trace is None:
            trace = self.traces[id(asked)] = self._trace(asked)
        reached = (at for at, odds in trace if odds >= demanded and self.least_ms <= at <= self.timeout_ms)
        return next(reached, self.timeout_ms)

    def _trace(self, asked: Asked) -> list[tuple[float, float]]:
        """Log-odds at each window until nothing changes any more."""
        weights, trace, at = self.weights.of(asked.call), [], WORDS_KNOWN_MS
        while at <= KNOTS_MS[-1] + WINDOW_MS:
            evidence = evidence_at(asked, at)
            head = weights.heads[head_of(evidence)]
            trace.append((at, head.score(evidence) + head.of_silence(at)))
            at += WINDOW_MS
        return trace
