"""How alike two lines are in meaning, cheaply: by their words in one form, values left open. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from functools import lru_cache

from stages.council.deciding.canonical import canonical, is_number

# fmt: off
_FILLERS = frozenset({
    "uh", "um", "uhm", "hm", "hmm", "well", "so", "and", "now", "then", "okay", "ok", "alright", "right", "please",
})
_LITTLE = frozenset({
    "a", "an", "the", "my", "your", "our", "i", "you", "we", "it", "is", "are", "was", "be", "do", "did", "to", "of",
    "for", "in", "on", "at", "with", "from", "what", "which", "how", "who", "there", "that", "thi", "can", "could",
    "would", "will", "like", "have", "has", "been", "me", "us", "am", "today",
})
# fmt: on
_GREETS = frozenset({"hi", "hello", "hey", "good", "morning", "afternoon", "evening"})
_NAME = re.compile(
    r"\b(my name is|this is|name's)\s+((?!harbor\b|the\b|a\b|an\b)[a-z]+)"
    r"(\s+(?!i\b|and\b|how\b|from\b|here\b|with\b|calling\b)[a-z]+)?"
)
_ONE = re.compile(r"\b(which|that|this|the|other|another) one\b")
_ASKING = frozenset({"what", "which", "how", "who", "where", "when", "why"})
_OTHER_SORT = 0.5
"""A question and a statement of the same words are not one line: "how can I help", "I can help"."""
VALUE = {"{amount}", "{number}", "{name}", "{value}"}


@lru_cache(maxsize=8192)
def plain(text: str) -> tuple[str, ...]:
    """The words in one form: no fillers, numbers as ``{number}`` or ``{amount}``, names as ``{name}``."""
    lowered = _ONE.sub(r"\1", _NAME.sub(lambda match: f"{match[1]} xnamex", text.lower()))
    words = ["{name}" if word == "xnamex" else word for word in canonical(lowered) if word not in _FILLERS]
    made: list[str] = []
    for word in words:
        if is_number(word):
            if made[-1:] != ["{number}"]:
                made.append("{number}")
        elif word == "dollar" and made[-1:] == ["{number}"]:
            made[-1] = "{amount}"
        else:
            made.append(word)
    return tuple(made)


@lru_cache(maxsize=8192)
def wish(text: str) -> tuple[str, ...]:
    """The words of a caller's line in one form, without the greeting and the name before a wish."""
    left = tuple(word for word in plain(_NAME.sub(" ", text.lower())) if word not in _GREETS)
    return left if set(left) - _LITTLE else plain(text)


@lru_cache(maxsize=65536)
def likeness(one: tuple[str, ...], two: tuple[str, ...]) -> float:
    """0 to 1: the share of words that both have (Dice), little words aside.

    "What is the bill amount" and "what is the transfer amount" share their little words only and half of the rest:
    the words that carry the meaning decide.
    """
    left, right = _content(one), _content(two)
    if not left or not right:
        return float(one == two)
    same_sort = bool(_ASKING.intersection(one)) == bool(_ASKING.intersection(two))
    return 2.0 * len(left & right) / (len(left) + len(right)) * (1.0 if same_sort else _OTHER_SORT)


def says_little(text: str) -> bool:
    """Whether ``text`` has none but fillers and little words."""
    return not set(plain(text)) - _LITTLE


def _content(words: tuple[str, ...]) -> frozenset[str]:
    kept = frozenset(word for word in words if word not in _LITTLE)
    return kept or frozenset(words)


def with_slots(members: Iterable[tuple[str, ...]], base: tuple[str, ...]) -> tuple[str, ...]:
    """``base`` with ``{value}`` for those of its words in whose place other members of its group say another.

    Only a change of the same, small number of words is a value; an addition is only another way of saying it.
    """
    varies: set[int] = set()
    for other in members:
        for kind, start, stop, there, until in SequenceMatcher(
            None, base, other, autojunk=False
        ).get_opcodes():
            if kind == "replace" and stop - start == until - there <= 2:
                changed = {*base[start:stop], *other[there:until]}
                varies.update(range(start, stop) if not changed & _LITTLE else ())
    made: list[str] = []
    for at, word in enumerate(base):
        if at in varies and word not in VALUE:
            if made[-1:] != ["{value}"]:
                made.append("{value}")
        else:
            made.append(word)
    return tuple(made)
