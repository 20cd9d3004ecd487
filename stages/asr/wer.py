"""Word error rate with the simplest normaliser: lower case, no punctuation; "16" for "sixteen" is an error. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence


def normalise(text: str) -> list[str]:
    """Words of ``text`` in lower case; apostrophes stay, stops inside abbreviations go, other marks part words."""
    joined = re.sub(r"(?<=\w)\.(?=\w\.)|(?<=\b\w\.\w)\.", "", text.lower())
    return re.sub(r"[^\w']+", " ", joined).split()


def word_errors(truth: Sequence[str], heard: Sequence[str]) -> int:
    """Fewest words to substitute, delete or insert (Levenshtein) that make ``truth`` of ``heard``."""
    row = list(range(len(heard) + 1))
    for at, wanted in enumerate(truth, start=1):
        diagonal, row[0] = row[0], at
        for column, word in enumerate(heard, start=1):
            best = min(row[column] + 1, row[column - 1] + 1, diagonal + (wanted != word))
            diagonal, row[column] = row[column], best
    return row[-1]
