"""How a turn is written down bit by bit, pure: which stretch to read next, and the words so far.

A pause inside a long turn closes a stretch: its words stay, and the next read begins in that pause. So a turn of a
minute costs no more for each second of speech than one of five seconds, and no window outgrows the recogniser's 30 s.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

PRE_ROLL_MS = 240.0
"""Audio before the first voiced window: voice activity is late on soft first sounds by up to 200 ms."""

STRETCH_MS = 8000.0
LONGEST_MS = 26_000.0


@dataclass(frozen=True, slots=True)
class Stretch:
    """Audio from ``start_ms`` to ``end_ms`` of a turn, to be read in one go."""

    turn: int
    start_ms: float
    end_ms: float


@dataclass(frozen=True, slots=True)
class Reading:
    """The words of one turn so far: ``fixed`` will not be read again, ``last`` is the newest read."""

    turn: int
    start_ms: float
    fixed: tuple[str, ...] = ()
    last: tuple[Stretch, str] | None = None

    @staticmethod
    def of_turn(turn: int, start_ms: float) -> Reading:
        """A new turn, with its pre-roll."""
        return Reading(turn, max(0.0, start_ms - PRE_ROLL_MS))

    def next_stretch(self, covers_ms: float, now_ms: float) -> tuple[Reading, Stretch]:
        """What to read to cover the turn as far as ``covers_ms``; a long stretch already read stays as it is."""
        fixed = self
        if self.last and self._may_fix(covers_ms):
            stretch, text = self.last
            fixed = replace(self, start_ms=stretch.end_ms, fixed=(*self.fixed, text), last=None)
        return fixed, Stretch(self.turn, fixed.start_ms, now_ms)

    def _may_fix(self, covers_ms: float) -> bool:
        assert self.last is not None
        stretch, _ = self.last
        return stretch.end_ms - stretch.start_ms >= STRETCH_MS and covers_ms > stretch.end_ms

    def read(self, stretch: Stretch, text: str) -> Reading:
        """The words of ``stretch`` are here."""
        if stretch.turn != self.turn or stretch.start_ms != self.start_ms:
            return self
        return replace(self, last=(stretch, text))

    def overdue(self, now_ms: float) -> bool:
        """Whether the unread audio has grown so long, without a pause, that it has to be cut."""
        return now_ms - self.start_ms >= LONGEST_MS

    @property
    def text(self) -> str:
        """All words so far."""
        newest = (self.last[1],) if self.last else ()
        return " ".join(part for part in (*self.fixed, *newest) if part)
