"""Text as a row of comparable words: numbers as digits, times without dots, no plural. Pure.

"Nine a.m.", "9 AM" and "9:00 am" are the same row; so are "$2,000" and "two thousand dollars".
"""

from __future__ import annotations

import re
from itertools import groupby

_SMALL_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TENS_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL = {word: value for value, word in enumerate(_SMALL_WORDS.split())}
_TENS = {word: 10 * value for value, word in enumerate(_TENS_WORDS.split(), start=2)}
_REWRITES = (
    (r"[‘’]", "'"),
    (r"\b24\s*/\s*7\b|\b(?:24|twenty[ -]four) hours (?:a|per) day\b", " at any hour "),
    (r"(?<=\d),(?=\d{3}\b)", ""),
    (r"(?<=\d)\.0+(?!\d)", ""),
    (r"\$\s*(\d+(?:\.\d+)?)", r"\1 dollars "),
    (r"%", " percent "),
    (r"\b([ap])\s?\.?\s?m\b\.?", r"\1m"),
    (r"(?<=\d)(?=[ap]m\b)", " "),
    (r"(?<=\d)(?:st|nd|rd|th)\b", ""),
    (r"\bo'?\s?clock\b", " "),
    (r"\bcan'?t\b|\bcannot\b", "can not"),
    (r"n't\b", " not"),
    (r"'m\b", " am"),
    (r"'[a-z]+\b", ""),
)
_CLOCK = re.compile(r"\b(\d{1,2}):(\d{2})\b")
_WORD = re.compile(r"\d+(?:\.\d+)?|[a-z]+")
_PHONE_DIGITS = 7
"""Numbers side by side that make seven digits or more are one telephone number."""


def canonical(text: str) -> tuple[str, ...]:
    """The words of ``text`` in lower case, singular, with every number in digits."""
    text = text.lower()
    for pattern, instead in _REWRITES:
        text = re.sub(pattern, instead, text)
    words = _WORD.findall(_CLOCK.sub(_clock, text))
    return tuple(_singular(word) for word in _phones(_numbers(words)))


def is_number(word: str) -> bool:
    """True for a canonical word that stands for a number."""
    return word[0].isdigit()


def contains(words: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    """True when ``wanted`` stands in ``words`` without a gap; nothing stands in everything."""
    size = len(wanted)
    return any(words[at : at + size] == wanted for at in range(len(words) - size + 1))


def _clock(match: re.Match[str]) -> str:
    hour, minute = int(match[1]), match[2]
    hour = hour - 12 if 13 <= hour < 24 else hour
    return f"{hour}" if minute == "00" else f"{hour} {minute}"


def _numbers(words: list[str]) -> list[str]:
    made: list[str] = []
    at = 0
    while at < len(words):
        length, value = _special(words, at) or _number(words, at) or (1, [words[at]])
        made += value
        at += length
    return made


def _special(words: list[str], at: int) -> tuple[int, list[str]] | None:
    """Half past nine, three and a half, noon, and the oh of a telephone number."""
    if words[at] in ("half", "quarter") and words[at + 1 : at + 2] == ["past"]:
        found = _number(words, at + 2)
        if found:
            return 2 + found[0], [*found[1], "30" if words[at] == "half" else "15"]
    if words[at + 1 : at + 4] == ["and", "a", "half"] and words[at] in _SMALL:
        return 4, [f"{_SMALL[words[at]]}.5"]
    if words[at + 1 : at + 2] == ["point"] and words[at] in _SMALL and words[at + 2 : at + 3]:
        tenth = _SMALL.get(words[at + 2], 10)
        if tenth < 10:
            return 3, [f"{_SMALL[words[at]]}.{tenth}"]
    if words[at] == "noon":
        return 1, ["12"]
    if words[at] in ("oh", "o") and 0 < at < len(words) - 1 and words[at + 1] in _SMALL:
        return 1, ["0"]
    return None


def _number(words: list[str], at: int) -> tuple[int, list[str]] | None:
    """How many words from ``at`` make one number, and its digits; None if it is no number."""
    start = at
    if words[at : at + 1] == ["a"] and words[at + 1 : at + 2] in (["hundred"], ["thousand"]):
        at, total = at + 1, 1
    elif at < len(words) and (words[at] in _SMALL or words[at] in _TENS):
        at, total = _below_hundred(words, at)
    elif at < len(words) and words[at].isdigit() and words[at + 1 : at + 2] in (["hundred"], ["thousand"]):
        at, total = at + 1, int(words[at])
    elif at < len(words) and is_number(words[at]):
        return 1, [words[at]]
    else:
        return None
    for name, size in (("hundred", 100), ("thousand", 1000)):
        if words[at : at + 1] == [name]:
            at, rest = _rest(words, at + 1, size)
            total = total * size + rest
    return at - start, [str(total)]


def _rest(words: list[str], at: int, limit: int) -> tuple[int, int]:
    """What follows a hundred or a thousand and belongs to it: "and fifty"."""
    skip = at + 1 if words[at : at + 1] == ["and"] else at
    if skip < len(words) and (words[skip] in _SMALL or words[skip] in _TENS):
        found = _number(words, skip) if limit > 100 else None
        length, value = (found[0], int(found[1][0])) if found else (0, limit)
        if value < limit:
            return skip + length, value
        if limit == 100:
            return _below_hundred(words, skip)
    return at, 0


def _below_hundred(words: list[str], at: int) -> tuple[int, int]:
    if words[at] in _SMALL:
        return at + 1, _SMALL[words[at]]
    unit = _SMALL.get(words[at + 1], 0) if at + 1 < len(words) else 0
    return (at + 2, _TENS[words[at]] + unit) if 0 < unit < 10 else (at + 1, _TENS[words[at]])


def _phones(words: list[str]) -> list[str]:
    made: list[str] = []
    for short, run in groupby(words, lambda word: word.isdigit() and len(word) <= 4):
        row = list(run)
        made += ["".join(row)] if short and sum(map(len, row)) >= _PHONE_DIGITS else row
    return made


def _singular(word: str) -> str:
    plural = len(word) > 3 and word.endswith("s") and not word.endswith("ss")
    return word[:-1] if plural else word
