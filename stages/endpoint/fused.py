"""Is the turn over, on all the evidence: a small calibrated model, and the silence that it still demands.

Method: logistic regression on a few dozen hand-made signs, fitted by ``tools/train_turn_end.py``; the silence enters
as a rising piecewise-linear curve. So "probability at least so high" and "silence at least so long" are one
rule: the silence needed falls as the other evidence grows surer. docs/turn-end.md has data, figures and limits.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from stages.endpoint.evidence import Evidence
from stages.endpoint.signs import HEADS, head_of, signs
from stages.errors import EnvironmentFault

WEIGHTS = Path(__file__).parent / "data" / "turn_end.json"

KNOTS_MS = (96.0, 192.0, 320.0, 512.0, 800.0, 1400.0, 2400.0)
"""Where the curve of the silence bends; level outside."""

WINDOW_MS = 32.0
NEVER_MS = 1e9


@dataclass(frozen=True, slots=True)
class Head:
    """The fit for one pattern of what is known: a constant, a weight a sign, and the curve over ``KNOTS_MS``."""

    constant: float
    weights: Mapping[str, float]
    silence: tuple[float, ...]

    def score(self, evidence: Evidence) -> float:
        """Log-odds that the turn is over, before the silence is counted."""
        found = signs(evidence)
        return self.constant + sum(weight * found[name] for name, weight in self.weights.items())

    def of_silence(self, silence_ms: float) -> float:
        """What ``silence_ms`` adds to it."""
        if silence_ms <= KNOTS_MS[0]:
            return self.silence[0]
        for at in range(1, len(KNOTS_MS)):
            if silence_ms <= KNOTS_MS[at]:
                share = (silence_ms - KNOTS_MS[at - 1]) / (KNOTS_MS[at] - KNOTS_MS[at - 1])
                return self.silence[at - 1] + share * (self.silence[at] - self.silence[at - 1])
        return self.silence[-1]

    def needed_ms(self, evidence: Evidence, log_odds: float) -> float:
        """The shortest silence, in whole windows, at which the log-odds reach ``log_odds``."""
        missing = log_odds - self.score(evidence)
        if missing > self.silence[-1]:
            return NEVER_MS
        silence = KNOTS_MS[0]
        while self.of_silence(silence) < missing - 1e-9:
            silence += WINDOW_MS
        return silence


@dataclass(frozen=True, slots=True)
class TurnEndWeights:
    """The heads by their name, and the table from accepted cut-ins to the log-odds that keep to them."""

    heads: Mapping[str, Head]
    calibration: tuple[tuple[float, float], ...]

    def probability(self, evidence: Evidence, silence_ms: float) -> float:
        """Probability that the turn is over after ``silence_ms`` of silence."""
        head = self.heads[head_of(evidence)]
        return 1.0 / (1.0 + math.exp(-(head.score(evidence) + head.of_silence(silence_ms))))

    def log_odds_for(self, cut_ins: float) -> float:
        """The log-odds to demand so that about this share of holds is cut into; between table rows, interpolated."""
        table = self.calibration
        if cut_ins <= table[0][0]:
            return table[0][1]
        for (low, at_low), (high, at_high) in pairwise(table):
            if cut_ins <= high:
                return at_low + (cut_ins - low) / (high - low) * (at_high - at_low)
        return table[-1][1]

    def needed_ms(self, evidence: Evidence, cut_ins: float) -> float:
        """The silence that ends the turn on this evidence, at the operating point ``cut_ins``."""
        return self.heads[head_of(evidence)].needed_ms(evidence, self.log_odds_for(cut_ins))


def load_weights(path: Path | None = None) -> TurnEndWeights:
    """The weights in ``path``, by default the shipped ones. Raises EnvironmentFault for a file that is none."""
    path = path or WEIGHTS
    try:
        return weights_from(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise EnvironmentFault(
            "turn_end.weights",
            f"{path} holds no turn-end weights: {fault}.",
            "Reinstall, or run tools/train_turn_end.py.",
        ) from fault


def weights_from(data: Mapping[str, object]) -> TurnEndWeights:
    """Weights from a JSON document's ``heads`` and ``calibration``. Raises KeyError, TypeError, ValueError."""
    raw_heads, raw_table = data["heads"], data["calibration"]
    assert isinstance(raw_heads, dict)
    assert isinstance(raw_table, list)
    heads = {}
    for name in HEADS:
        raw = raw_heads[name]
        curve = tuple(float(value) for value in raw["silence"])
        if len(curve) != len(KNOTS_MS) or any(b < a for a, b in pairwise(curve)):
            raise ValueError(f"head {name}: the silence needs {len(KNOTS_MS)} rising values")
        heads[name] = Head(float(raw["constant"]), {k: float(v) for k, v in raw["weights"].items()}, curve)
    table = tuple((float(share), float(odds)) for share, odds in raw_table)
    return TurnEndWeights(heads, table)
