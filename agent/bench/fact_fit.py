"""Learning when a fact is the answer: ridge logistic regression, tenfold cross-validation, and the figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

from agent.bench.fact_lines import Case
from latency_budget.statistics import Share, share
from stages.council.fact_fit import NAMES, FactFit, Fitting

RIDGE = 1.0
FOLDS, SEED = 10, 0
CHANCES = (0.5, 0.6, 0.7, 0.75, 0.8, 0.82, 0.84, 0.86, 0.9)

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Judged:
    """The best fact for one case, and whether it is an answer."""

    case: Case
    found: Fitting | None

    @property
    def right(self) -> bool:
        """Whether the fact found is one that answers."""
        return self.found is not None and self.found.index in self.case.right


def learn(cases: Sequence[Case]) -> dict[str, float]:
    """The weights of the features that make the right facts of ``cases`` likeliest."""
    rows, right = [], []
    for case in cases:
        for at, row in FactFit(case.persona.index, {}).rows(case.ask, case.before):
            rows.append(row)
            right.append(float(at in case.right))
    weights = _logistic(np.array(rows), np.array(right))
    return {name: round(float(weight), 4) for name, weight in zip(NAMES, weights, strict=True)}


def _logistic(rows: Vector, right: Vector) -> Vector:
    """Newton's method on the penalised log-likelihood; the first feature is the constant and goes nearly free."""
    penalty = np.full(rows.shape[1], RIDGE)
    penalty[0] = RIDGE / 100.0
    weights = np.zeros(rows.shape[1])
    for _ in range(50):
        chance = 1.0 / (1.0 + np.exp(-rows @ weights))
        slope = rows.T @ (chance - right) + penalty * weights
        curve = (rows.T * (chance * (1.0 - chance))) @ rows + np.diag(penalty)
        step = np.linalg.solve(curve, slope)
        weights = weights - step
        if float(np.abs(step).max()) < 1e-9:
            break
    return weights


def judge(cases: Sequence[Case], weights: Mapping[str, float]) -> list[Judged]:
    """What these weights find for each case."""
    return [Judged(case, FactFit(case.persona.index, weights).best(case.ask, case.before)) for case in cases]


def cross_validated(cases: Sequence[Case]) -> list[Judged]:
    """Every case judged by weights that were learned without its group."""
    groups = sorted({case.group for case in cases})
    Random(SEED).shuffle(groups)
    fold = {group: number % FOLDS for number, group in enumerate(groups)}
    made: list[Judged] = []
    for number in range(FOLDS):
        weights = learn([case for case in cases if fold[case.group] != number])
        made += judge([case for case in cases if fold[case.group] == number], weights)
    return made


def at_chance(judged: Sequence[Judged], chance: float) -> tuple[Share, Share]:
    """Of the facts said from ``chance`` on: the share that answers; of what some fact answers: the share covered."""
    said = [one for one in judged if one.found is not None and one.found.probability >= chance]
    right = sum(one.right for one in said)
    return share(right, len(said)), share(right, sum(bool(one.case.right) for one in judged))
