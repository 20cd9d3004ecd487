"""How a turn is written down bit by bit, pure: which stretch to read next, and the words so far.

A pause inside a long turn closes a stretch: its words stay, and the next one begins where the caller goes on. A caller
who makes no pause is cut at a quiet place; there both stretches are read over some seconds and joined at the words
that they share. So a turn of a minute costs no more for each second of speech than one of five seconds, and no window
outgrows the recogniser's 30 s.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

PRE_ROLL_MS = 240.0
"""Audio before the first voiced window: voice activity is late on soft first sounds by up to 200 ms."""

STRETCH_MS = 8000.0
PAUSE_MS = 200.0
"""Shorter silences may be the closed lips of a consonant: nothing is cut there."""

LONGEST_MS = 24_000.0
SHARED_MS = (1000.0, 4000.0)
"""A cut without a pause lies this far before the end of what was read: least, most."""

TAIL_MS = 32.0
"""Audio behind the last voiced window that a reading must have heard to count for the whole turn: without it the
error rate rises from 6.7 to 8.3 % (20 utterances, 193 words)."""

_SHARED_WORDS = 20


@dataclass(frozen=True, slots=True)
class Stretch:
    """Audio from ``start_ms`` to ``end_ms`` of a turn, to be read in one go."""

    turn: int
    start_ms: float
    end_ms: float

    @property
    def length_ms(self) -> float:
        """Its length."""
        return self.end_ms - self.start_ms


@dataclass(frozen=True, slots=True)
class Reading:
    """The words of one turn so far: ``fixed`` will not be read again, ``last`` is the newest read behind it.

    ``shared``: the present stretch begins inside what ``fixed`` covers.
    """

    turn: int
    start_ms: float
    fixed: str = ""
    shared: bool = False
    last: tuple[Stretch, str] | None = None

    @staticmethod
    def of_turn(turn: int, start_ms: float) -> Reading:
        """A new turn, with its pre-roll."""
        return Reading(turn, max(0.0, start_ms - PRE_ROLL_MS))

    def stretch(self, now_ms: float) -> Stretch:
        """What to read to know all words up to ``now_ms``."""
        return Stretch(self.turn, self.start_ms, now_ms)

    def read(self, stretch: Stretch, text: str) -> Reading:
        """The words of ``stretch`` are here."""
        if stretch.turn != self.turn or stretch.start_ms != self.start_ms:
            return self
        return replace(self, last=(stretch, text))

    def next_stretch(self, covers_ms: float, now_ms: float) -> tuple[Reading, Stretch]:
        """For one who goes from pause to pause: what to read for the pause at ``covers_ms``, heard up to ``now_ms``.

        A long stretch that was read in the pause before is closed.
        """
        reading = self
        if self.last and self.last[0].length_ms >= STRETCH_MS and covers_ms > self.last[0].end_ms:
            reading = Reading(self.turn, self.last[0].end_ms, self.text)
        return reading, reading.stretch(now_ms)

    def in_pause(self, voiced_ms: float, now_ms: float) -> Reading:
        """Nothing was voiced from ``voiced_ms`` to ``now_ms``: a long stretch that was read up to here is closed."""
        if self.last is None or now_ms - voiced_ms < PAUSE_MS:
            return self
        stretch, _ = self.last
        if stretch.length_ms < STRETCH_MS or stretch.end_ms < voiced_ms:
            return self
        return Reading(self.turn, stretch.end_ms, self.text)

    def resumed(self, at_ms: float, voiced_ms: float) -> Reading:
        """The caller goes on at ``at_ms``, last heard at ``voiced_ms``: silence in front of a stretch is left out."""
        if self.shared or not self.fixed or voiced_ms > self.start_ms:
            return self
        return replace(self, start_ms=max(self.start_ms, at_ms - PRE_ROLL_MS))

    def cut(self, stretch: Stretch, text: str, at_ms: float) -> Reading:
        """``stretch`` was read in the midst of speech; the next one begins at ``at_ms``, inside of it."""
        read = self.read(stretch, text)
        return self if read is self else Reading(self.turn, at_ms, read.text, shared=True)

    def overdue(self, now_ms: float) -> bool:
        """Whether the unread audio has grown so long, without a pause, that it has to be cut."""
        return now_ms - self.start_ms >= LONGEST_MS

    def with_words(self, words: str) -> str:
        """``fixed`` and ``words`` of the present stretch as one text."""
        return join_shared(self.fixed, words) if self.shared else _join(self.fixed, words)

    @property
    def text(self) -> str:
        """All words so far."""
        return self.with_words(self.last[1] if self.last else "")


def join_shared(left: str, right: str) -> str:
    """Both texts as one, where the end of ``left`` and the beginning of ``right`` are the same speech.

    They are joined inside the longest run of words that both have there. What ``left`` has behind it was cut off in
    the middle, what ``right`` has in front of it began there. Without a common run of two words, or a single word at
    the very joint, they are put one after the other.
    """
    ahead, behind = left.split(), right.split()
    first = max(0, len(ahead) - _SHARED_WORDS)
    tail, head = _plain(ahead[first:]), _plain(behind[:_SHARED_WORDS])
    match = SequenceMatcher(None, tail, head, autojunk=False).find_longest_match()
    at_joint = match.size == 1 and len(tail) - match.a <= 2 and match.b <= 1
    if match.size < 2 and not at_joint:
        return _join(left, right)
    return " ".join([*ahead[: first + match.a + match.size], *behind[match.b + match.size :]])


def _plain(words: list[str]) -> list[str]:
    return [re.sub(r"[^\w']", "", word).lower() for word in words]


def _join(left: str, right: str) -> str:
    return f"{left} {right}" if left and right else left or right
