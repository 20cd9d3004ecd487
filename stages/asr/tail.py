"""Cutting what the decoder says after the utterance is over. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

STAMP_S = 0.02
"""Whisper's time stamps count in steps of 20 ms."""

_MIN_PHRASE = 3
"""Shorter phrases are repeated by people too ("no, no", "bye bye"), so they are left alone."""

MOST_LETTERS_S = 20.0
"""Nobody says more letters a second: quick talkers come to 18 over an utterance with its silence."""

_NUMBERS = frozenset(
    ["oh", "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "double", "triple"]
)


def spoken_tokens(tokens: Sequence[int], *, first_stamp: int, duration_s: float) -> list[int]:
    """Text tokens up to the first end stamp that lies at or behind the end of the audio.

    ``tokens`` is what Whisper wrote with time stamps on; ids from ``first_stamp`` up are stamps. Whatever starts
    at or behind ``duration_s`` is talk about silence.
    """
    text: list[int] = []
    for token in tokens:
        if token < first_stamp:
            text.append(token)
            continue
        if (token - first_stamp) * STAMP_S >= duration_s and text:
            break
    return text


def cut_repeats(text: str, run: int, seconds: float) -> str:
    """``text`` without a repeated tail: a phrase of three words or more that is said again.

    Phrases with digits or numbers in them stay: "five five one, five five one" is a telephone number. Said ``run``
    times in a row or more, any phrase is cut to one; and any, begun again only, where nobody could have said all
    that in ``seconds``.
    """
    hasty = sum(map(str.isalnum, text)) > MOST_LETTERS_S * seconds
    spans = [match.span() for match in re.finditer(r"\S+", text)]
    words = [_plain(text[start:end]) for start, end in spans]
    for period in range(1, (len(words) - 1 if hasty else len(words) // 2) + 1):
        first = _repeated_from(words, period)
        phrase = set(words[first - period : first])
        is_run_on = len(words) - first >= period * (run - 1)
        is_phrase = len(phrase) >= _MIN_PHRASE and not any(map(_is_number, phrase))
        again = len(words) - first
        if is_run_on or (is_phrase and again >= period) or (hasty and again >= min(period, 2)):
            return text[: spans[first - 1][1]]
    return text


def longest_run(text: str) -> int:
    """How often the most repeated phrase (1 to 8 words) stands in a row: 1 if none repeats, 0 without words."""
    words = [plain for word in text.split() if (plain := _plain(word))]
    best = min(1, len(words))
    for size in range(1, 9):
        same = 0
        for at in range(size, len(words)):
            same = same + 1 if words[at] == words[at - size] else 0
            best = max(best, same // size + 1)
    return best


def _repeated_from(words: Sequence[str], period: int) -> int:
    """Index from which every word to the end equals the one ``period`` words before it."""
    first = len(words)
    while first > period and words[first - 1] == words[first - 1 - period]:
        first -= 1
    return first


def _is_number(word: str) -> bool:
    return word in _NUMBERS or any(letter.isdigit() for letter in word)


def _plain(word: str) -> str:
    return re.sub(r"[^\w']", "", word).lower()
