"""Whether a fact, said as it stands, answers a question: a probability. Pure.

A logistic model over a dozen plain features of the question and one fact. Its weights are learned on the development
questions (`bench facts`), never on the test half, and ship as numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stages.council.acts import Act, act_of, gives
from stages.council.deciding.canonical import canonical
from stages.council.facts import BEFORE, STOP, FactIndex, stem
from stages.council.grounding import measures

_SAYS_NOTHING = (
    "hi hello hey good morning afternoon evening okay ok yes yeah no sure right alright great perfect "
    "please thank well um uh then just really also exactly actually maybe today now know question wonder "
    "wondering ask long time name something thing someone help cost price pay charge fee anything "
    "possible let say said must should did was were not day hour minute week year month soon many more "
    "most only still does doing take takes them they "
)
_NOTHING = frozenset(canonical(f"{' '.join(STOP)} {_SAYS_NOTHING}"))
UNASKED = 0.5
"""What the score of a fact counts for that does not hold the kind of answer that was asked for."""
_LIKE = 0.6
"""Two words that share so many of their letter trigrams were perhaps one word before it was misheard."""
NAMES = (
    "one", "covered", "uncovered", "score", "margin", "kind_given", "kind_missing", "kind_other", "asks", "wishes",
    "social", "states", "follows", "before", "few", "long", "new_subject",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fitting:
    """A fact by its place, and the probability that it answers."""

    index: int
    probability: float


class FactFit:
    """The facts of one persona with the weights of the features. Immutable."""

    def __init__(self, index: FactIndex, weights: Mapping[str, float]) -> None:
        self._index = index
        self._weights = [weights.get(name, 0.0) for name in NAMES]
        self._gives = [gives(fact) for fact in index.facts]

    def text(self, at: int) -> str:
        """The fact at place ``at``."""
        return self._index.facts[at]

    def best(self, question: str, before: Sequence[str] = ()) -> Fitting | None:
        """The fact that most probably answers ``question`` after the lines ``before``; None without facts."""
        rows = self.rows(question, before)
        if not rows:
            return None
        scored = [Fitting(at, self._probability(row)) for at, row in rows]
        return max(scored, key=lambda one: one.probability)

    def _probability(self, row: Sequence[float]) -> float:
        return 1.0 / (1.0 + math.exp(-sum(x * w for x, w in zip(row, self._weights, strict=True))))

    def rows(self, question: str, before: Sequence[str] = (), most: int = 4) -> list[tuple[int, list[float]]]:
        """The features of the ``most`` facts that come nearest."""
        own = self._index.scores(question)
        if not own:
            return []
        act = act_of(question)
        then = self._index.scores(" ".join(before)) if before and act.follows else [0.0] * len(own)
        both = [one + BEFORE * two for one, two in zip(own, then, strict=True)]
        wants = act.wants - {"else"}
        kinded = [
            score if not wants or wants & self._gives[at] else UNASKED * score
            for at, score in enumerate(both)
        ]
        order = sorted(range(len(own)), key=lambda at: (-kinded[at], at))[:most]
        return [
            (at, self._row(question, act, at, kinded, then))
            for at in order
            if not _needs_reckoning(question, self._index.facts[at])
            and not self._turns_away(question, act, at)
        ]

    def _row(
        self, question: str, act: Act, at: int, scores: Sequence[float], then: Sequence[float]
    ) -> list[float]:
        words, wants, there = _content(question), act.wants - {"else"}, self._index.stems(at)
        matched = [self._match(word, there) for word in words]
        weight = [self._index.weight(word) for word in words]
        covered = sum(w * m for w, m in zip(weight, matched, strict=True))
        lost = sum(weight) - covered
        rival = max((score for other, score in enumerate(scores) if other != at), default=0.0)
        return [
            1.0,
            covered / (covered + lost) if covered + lost else 0.0,
            lost / 4.0,
            math.log1p(scores[at]),
            max(-1.0, min(1.0, (scores[at] - rival) / 5.0)),
            float(bool(wants & self._gives[at])),
            float(bool(wants and not wants & self._gives[at])),
            float("else" in act.wants),
            float(act.asks),
            float(act.wishes),
            float(act.social),
            float(act.states),
            float(act.follows),
            then[at] / (max(then) or 1.0) if act.follows else 0.0,
            float(len(words) <= 1),
            min(len(words), 12) / 6.0,
            lost / 4.0 if act.follows else 0.0,
        ]

    def _turns_away(self, question: str, act: Act, at: int) -> bool:
        """Whether a follow-up asks about another thing than the fact: "And a new clutch?" after a battery."""
        there = self._index.stems(at)
        return act.goes_on and any(self._match(word, there) < _LIKE for word in _content(question))

    @staticmethod
    def _match(word: str, there: frozenset[str]) -> float:
        return 1.0 if word in there else max((_alike(word, other) for other in there), default=0.0)


def _needs_reckoning(question: str, fact: str) -> bool:
    """Whether the question names an amount of something that the fact has another amount of: "two hours before"."""
    asked, there = measures(canonical(question)), measures(canonical(fact))
    units = {unit for _, unit in there if unit}
    return any(unit in units and (number, unit) not in there for number, unit in asked)


def _content(text: str) -> list[str]:
    words = [word for word in canonical(text) if word not in _NOTHING and len(word) > 1]
    return list(dict.fromkeys(stem(word) for word in words))


def _alike(one: str, two: str) -> float:
    if len(one) < 4 or len(two) < 4:
        return 0.0
    left = {one[at : at + 3] for at in range(len(one) - 2)}
    right = {two[at : at + 3] for at in range(len(two) - 2)}
    share = 2.0 * len(left & right) / (len(left) + len(right))
    return share if share >= _LIKE else 0.0
