"""Takes digits, number words and names out of a text before it leaves the machine.

It errs on the safe side: a capitalised word is a name unless it is an ordinary word or one that the persona itself
uses, and so is what follows `my name is`. A name that the recogniser wrote small, or that is an ordinary word, stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

NUMBER, NAME = "#", "[name]"

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_DIGITS = re.compile(r"\d+")
_SPELLED = re.compile(r"\b[A-Za-z](?:[-. ]{1,2}[A-Za-z]\b)+")
"""Letters said one by one: F-I-T, or A. B. C."""
_AFTER = re.compile(r"\b((?:name(?:'s| is)|call me|speaking with|mister|miss|mrs|mr)\.? )", re.IGNORECASE)
"""What a name follows, however it is written."""
_LISTS = Path(__file__).parent / "data"
_NUMBER_WORDS = frozenset((_LISTS / "number_words.txt").read_text(encoding="utf-8").split())
_ORDINARY = frozenset((_LISTS / "ordinary_words.txt").read_text(encoding="utf-8").split())


def redact(text: str, own_words: Iterable[str] = ()) -> str:
    """``text`` with ``#`` for numbers and ``[name]`` for names. ``own_words``: what the persona says anyway."""
    known = _ORDINARY | {word.casefold() for word in own_words}
    text = _SPELLED.sub(NAME, text)
    pieces: list[str] = []
    for place, piece in enumerate(_AFTER.split(text)):  # every other one is what introduces a name
        pieces.append(piece if place % 2 else _words(piece, known, introduced=place > 0))
    return _DIGITS.sub(NUMBER, "".join(pieces))


def vocabulary(texts: Iterable[str]) -> frozenset[str]:
    """The words of ``texts``, folded: of a persona's own sentences, which are no secret of a caller."""
    return frozenset(word.casefold() for text in texts for word in _WORD.findall(text))


def _words(text: str, known: frozenset[str], *, introduced: bool) -> str:
    """``introduced``: the text follows `my name is` or the like, so that its first word is a name however written."""
    first = introduced

    def replace(found: re.Match[str]) -> str:
        nonlocal first
        word, folded, begins = found.group(), found.group().casefold().replace("’", "'"), first
        first = False
        if word == "name" and found.string[max(0, found.start() - 1) : found.end() + 1] == NAME:
            return word
        if folded in _NUMBER_WORDS:
            return NUMBER
        if folded in known or folded.removesuffix("'s") in known:
            return word
        return NAME if word[0].isupper() or begins else word

    return _WORD.sub(replace, text)
