"""Which words of a growing utterance can be relied on already. Pure.

Method: LocalAgreement-2 of Macháček, Dabre and Bojar, "Turning Whisper into Real-Time Transcription System" (2023),
https://arxiv.org/abs/2307.14743: a word is stable once two readings in a row agree on everything up to it. Theirs
cuts the audio behind the stable words; here each reading begins where the stretch begins, so a reading is first laid
against the stable words, which it may spell, part or miss differently, and only what follows them is compared.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Agreement:
    """The words of one stretch: ``stable`` only grows, ``open`` is the rest of the newest reading."""

    stable: Words = ()
    open: Words = ()

    def push(self, text: str) -> Agreement:
        """The next reading of the stretch, from its beginning on, of a little more audio than the last."""
        words = tuple(text.split())
        rest = words[_behind(self.stable, words) :]
        agreed = common_prefix(self.open, rest)
        return Agreement((*self.stable, *rest[:agreed]), rest[agreed:])


def plain(word: str) -> str:
    """``word`` as it is compared: lower case, letters, digits and apostrophes; marks alone stay what they are."""
    return re.sub(r"[^\w']", "", word).lower() or word


def common_prefix(first: Sequence[str], second: Sequence[str]) -> int:
    """How many words at the beginning of both are equal but for case and punctuation."""
    count = 0
    for one, other in zip(first, second, strict=False):
        if plain(one) != plain(other):
            break
        count += 1
    return count


def _behind(stable: Words, words: Words) -> int:
    """Where in ``words`` the stable ones end: the prefix with the fewest edits to them, the nearest in length."""
    row = list(range(len(words) + 1))
    for wanted in map(plain, stable):
        diagonal, row[0] = row[0], row[0] + 1
        for column, word in enumerate(words, start=1):
            best = min(row[column] + 1, row[column - 1] + 1, diagonal + (wanted != plain(word)))
            diagonal, row[column] = row[column], best
    return min(range(len(row)), key=lambda end: (row[end], abs(end - len(stable))))
