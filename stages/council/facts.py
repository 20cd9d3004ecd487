"""Choosing the facts that matter for a question, so that a small model reads three and not thirty. Pure.

Okapi BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009) over word stems, and a second time
over letter trigrams, which still match where the recogniser heard "trance fur" for "transfer".
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from stages.council.deciding.canonical import canonical

K1, B = 1.2, 0.75
TRIGRAMS = 0.25
"""Weight of the trigrams beside the words."""
BEFORE = 0.3
"""Weight of what was said before: "and on Saturdays?" needs it, and a new subject must not drown in it."""

_ENDINGS = ("ation", "ment", "ing", "ed", "er", "al", "ly", "y", "e")
_STOP_WORDS = (
    "a an and any are at be by can could do does for from get have how i if in is it me my of on or please so than "
    "that the there this to up us was we what which will with would you your am one like need want tell much many"
)
STOP = frozenset(_STOP_WORDS.split())


class FactIndex:
    """The facts of one persona, ready to be asked. Immutable."""

    def __init__(self, facts: Sequence[str], synonyms: Mapping[str, Sequence[str]] | None = None) -> None:
        """``synonyms`` maps a word of the facts to what callers say for it."""
        self.facts = tuple(facts)
        said = [(stem(canonical(word)[0]), names) for word, names in (synonyms or {}).items()]
        texts = [_with_synonyms(fact, said) for fact in self.facts]
        stems = [_stems(text) for text in texts]
        self._stems = [frozenset(row) for row in stems]
        self._words = _Bm25(stems)
        self._trigrams = _Bm25([_trigrams(text) for text in texts])

    def scores(self, question: str, before: Sequence[str] = ()) -> list[float]:
        """How well each fact fits ``question``, 0 and more; ``before`` are the lines that led to it."""
        found = self._score(question)
        if before:
            earlier = self._score(" ".join(before))
            found = [now + BEFORE * then for now, then in zip(found, earlier, strict=True)]
        return found

    def best(self, question: str, count: int, before: Sequence[str] = ()) -> list[str]:
        """The ``count`` facts that fit best, the best one first; facts that share nothing with it are left out."""
        scores = self.scores(question, before)
        order = sorted(range(len(scores)), key=lambda at: (-scores[at], at))
        return [self.facts[at] for at in order[:count] if scores[at] > 0]

    def stems(self, at: int) -> frozenset[str]:
        """The word stems of one fact, with those of its synonyms."""
        return self._stems[at]

    def weight(self, word: str) -> float:
        """How much a word stem tells; one that stands in no fact tells the most."""
        return self._words.weight(word)

    def _score(self, text: str) -> list[float]:
        words, letters = self._words.scores(_stems(text)), self._trigrams.scores(_trigrams(text))
        return [one + TRIGRAMS * two for one, two in zip(words, letters, strict=True)]


class _Bm25:
    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        self._counts = [Counter(text) for text in texts]
        self._count = len(texts)
        self._mean = sum(map(len, texts)) / max(len(texts), 1) or 1.0
        seen = Counter(term for counts in self._counts for term in counts)
        self._idf = {
            term: math.log(1 + (len(texts) - count + 0.5) / (count + 0.5)) for term, count in seen.items()
        }

    def weight(self, term: str) -> float:
        return self._idf.get(term, math.log(2 * self._count + 2))

    def scores(self, query: Iterable[str]) -> list[float]:
        terms = sorted(set(query) & self._idf.keys())
        return [sum(self._term(counts, term) for term in terms) for counts in self._counts]

    def _term(self, counts: Counter[str], term: str) -> float:
        found = counts[term]
        length = 1 - B + B * counts.total() / self._mean
        return self._idf[term] * found * (K1 + 1) / (found + K1 * length)


def stem(word: str) -> str:
    """``word`` without its commonest endings; at least four letters stay."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def _stems(text: str) -> list[str]:
    return [stem(word) for word in canonical(text) if word not in STOP]


def _trigrams(text: str) -> list[str]:
    letters = "".join(word for word in canonical(text) if word not in STOP)
    return [letters[at : at + 3] for at in range(len(letters) - 2)]


def _with_synonyms(fact: str, said: Sequence[tuple[str, Sequence[str]]]) -> str:
    stems = {stem(word) for word in canonical(fact)}
    return " ".join([fact, *(name for word, names in said if word in stems for name in names)])
