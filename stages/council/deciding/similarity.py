"""How alike two answers are, cheaply: the words they share, values counting more. Pure."""

from __future__ import annotations

from collections import Counter

from stages.council.deciding.canonical import canonical, is_number

VALUE_WEIGHT = 4
"""A number counts as four words: answers that differ in nothing else mean something else."""

_EMPTY_WORDS = "a an the is are be it that this to of and or for with in on at by you your we our i"
_EMPTY = frozenset(_EMPTY_WORDS.split())


def similarity(one: str, other: str) -> float:
    """Weighted F1 of the words of two texts, from 0 (nothing shared) to 1 (the same words); symmetric."""
    left, right = _weights(one), _weights(other)
    total = left.total() + right.total()
    return 2 * (left & right).total() / total if total else 1.0


def _weights(text: str) -> Counter[str]:
    counts = Counter(word for word in canonical(text) if word not in _EMPTY)
    return Counter({word: n * (VALUE_WEIGHT if is_number(word) else 1) for word, n in counts.items()})
