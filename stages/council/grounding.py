"""Grounding: what a reply states as a fact must stand in the facts or in what the caller said. Pure.

Checked are numbers with their units (amounts, times, telephone numbers), days of the week, and names. The idea of
comparing the entities of an answer with those of its sources is that of Nan et al., "Entity-level Factual Consistency
of Abstractive Text Summarization" (2021).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from stages.council.deciding.canonical import canonical, is_number

_UNIT_WORDS = (
    "dollar cent percent minute hour day week month year mile kilometer season tire axle person people time"
)
_UNITS = frozenset(_UNIT_WORDS.split())
_BETWEEN = frozenset(["working", "business", "calendar", "more", "full", "whole"])
_RANGE = frozenset(["to", "or", "and"])
_LAST_HOUR = 24
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WIDER = {"weekday": _DAYS[:5], "weekend": _DAYS[5:]}
_FREE_NAMES = frozenset(["i", "ok", "okay", "id", "atm", "yes", "no", "mr", "ms", "mrs", "sir", "madam"])
_NAME = re.compile(r"[A-Z][\w'’]*")
_SENTENCE = re.compile(r"(?:^|[.!?:;]\s+|[\"“]|\n)\W*\w+")


def ungrounded(reply: str, known: Sequence[str]) -> tuple[str, ...]:
    """What ``reply`` states that stands in none of the ``known`` texts, in order, each as a canonical phrase.

    A number needs its unit too: "5 dollars" does not follow from "five working days". The word "one" counts only
    before a unit. Empty when everything is grounded.
    """
    there = [canonical(text) for text in known]
    words = canonical(reply)
    false = [*_false_numbers(words, there), *_false_days(words, there), *_false_names(reply, there)]
    return tuple(dict.fromkeys(false))


def measures(words: tuple[str, ...]) -> list[tuple[str, str]]:
    """Every number with its unit, or with "" where it has none; both ends of "three to five days" have theirs."""
    found: list[tuple[str, str]] = []
    for at, word in enumerate(words):
        if is_number(word):
            after = [near for near in words[at + 1 : at + 6] if near not in _BETWEEN]
            if len(after) > 2 and after[0] in _RANGE and is_number(after[1]):
                after = after[2:]
            found.append((word, after[0] if after and after[0] in _UNITS else ""))
    return found


def _false_numbers(words: tuple[str, ...], there: list[tuple[str, ...]]) -> list[str]:
    known = {measure for row in there for measure in measures(row)}
    numbers = {number for number, _ in known}
    false = []
    for number, unit in measures(words):
        if number == "1" and not unit:
            continue
        # "Nine" in "from nine to five" is a time; "three thousand" of a caller's is an amount without saying so.
        bare = (number, "") in known and float(number) > _LAST_HOUR
        fits = (number, unit) in known or bare if unit else number in numbers
        if not fits:
            false.append(f"{number} {unit}".strip())
    return false


def _false_days(words: tuple[str, ...], there: list[tuple[str, ...]]) -> list[str]:
    known = {word for row in there for word in row}
    for wide, days in _WIDER.items():
        if wide in known:
            known.update(days)
    if {"monday", "friday"} <= known or {"monday", "saturday"} <= known:
        known.update(_DAYS[:5])
    return [word for word in words if word in _DAYS and word not in known]


def _false_names(reply: str, there: list[tuple[str, ...]]) -> list[str]:
    known = {word for row in there for word in row} | _FREE_NAMES | set(_DAYS)
    starts = {match.end() for match in _SENTENCE.finditer(reply)}
    false = []
    for match in _NAME.finditer(reply):
        words = canonical(match[0])
        if match.end() not in starts and any(word not in known for word in words):
            false.append(" ".join(words))
    return false
