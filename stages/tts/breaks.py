"""Where a text may be cut for speaking: after which word, and how well. Pure."""

from __future__ import annotations

import re
from enum import IntEnum

# fmt: off
_ABBREVIATIONS = frozenset({
    "dr", "mr", "mrs", "ms", "prof", "st", "jr", "sr", "vs", "etc", "e.g", "i.e", "approx", "dept", "ext",
    "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "ave", "inc",
    "ltd",
})
# fmt: on

# Words that lean on the next one: a pause behind them sounds torn.
# fmt: off
_LEANING = frozenset({
    "a", "an", "the", "my", "your", "our", "his", "her", "its", "their", "this", "that", "of", "to", "in",
    "on", "at", "for", "from", "with", "by", "and", "or", "but", "is", "are", "was", "be", "i", "i'm",
    "i'll", "you", "we", "they", "not", "can", "will", "would", "could", "if", "as", "very", "please",
})
# fmt: on

_CLOSERS = "\"')]}»”’*_`"


class Break(IntEnum):
    """How good a place to cut is."""

    NONE = 0
    WORD = 1
    CLAUSE = 2
    SENTENCE = 3


def break_after(word: str, gap: str, following: str) -> Break:
    """The break after ``word``, with ``gap`` the blanks behind it and ``following`` the next character.

    ``following`` is empty while it is not known yet; the break is NONE until then. Models write a blank and the
    next word as one token, so this costs no time.
    """
    if not following:
        return Break.NONE
    if "\n" in gap:
        return Break.SENTENCE
    core = word.rstrip(_CLOSERS)
    last = core[-1:]
    if last in ("!", "?", "…"):
        return Break.SENTENCE
    if last == ".":
        return _after_stop(core[:-1], following)
    if last in (",", ";", ":"):
        return _after_comma(core[:-1], following)
    if any(letter.isdigit() for letter in word) or following.isdigit():
        return Break.NONE
    return Break.NONE if core.lower() in _LEANING else Break.WORD


def _after_stop(before: str, following: str) -> Break:
    plain = before.lstrip("(\"'“‘[").lower()
    if plain in _ABBREVIATIONS or re.fullmatch(r"[a-z]", plain):
        return Break.NONE
    if plain == "no" or re.fullmatch(r"[\d.,:$]+", plain) or re.fullmatch(r"([a-z]\.)+[a-z]", plain):
        # "No. 5", "3. Open", "9 a.m. on": the next character tells, and a number or small letter goes on.
        return Break.SENTENCE if following.isupper() and not re.fullmatch(r"\d{1,2}", plain) else Break.NONE
    return Break.NONE if following.islower() else Break.SENTENCE


def _after_comma(before: str, following: str) -> Break:
    if before[-1:].isdigit() and following.isdigit():
        return Break.NONE  # "July 5, 2026", "555, 0142"
    return Break.CLAUSE
