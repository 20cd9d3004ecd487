"""What was played when: the ear's side of every reply, taken from the samples that are written out.

Silence that the agent writes is not audio for the caller: a sample is audible when its 10 ms window reaches -45 dBFS.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from stages.contract import Audio

AUDIBLE_DBFS = -45.0
WINDOW_MS = 10.0
JOIN_MS = 60.0
"""Audible windows closer than this are one span: the closure of a plosive is no silence."""


@dataclass(slots=True)
class PieceHeard:
    """One piece of a reply and its first audible sample, in milliseconds; None: not (yet) audible."""

    index: int
    text: str
    content: bool
    first_ms: float | None = None
    samples: int = 0


@dataclass(slots=True)
class ReplyHeard:
    """What the caller hears of one reply: audible spans and pieces, in milliseconds on the pipeline's clock."""

    reply: int
    pieces: list[PieceHeard] = field(default_factory=list)
    spans: list[tuple[float, float]] = field(default_factory=list)
    underruns: int = 0

    @property
    def first_audio_ms(self) -> float | None:
        """First audible sample."""
        return self.spans[0][0] if self.spans else None

    @property
    def first_content_ms(self) -> float | None:
        """First audible sample of a piece that answers."""
        return next((p.first_ms for p in self.pieces if p.content and p.first_ms is not None), None)

    @property
    def end_ms(self) -> float | None:
        """Last audible sample."""
        return self.spans[-1][1] if self.spans else None


class Playback:
    """Follows the output. ``latency_ms`` is what the device adds after a block is written."""

    def __init__(self, rate_hz: int, latency_ms: float) -> None:
        self.rate_hz, self.latency_ms = rate_hz, latency_ms
        self.written: list[tuple[float, Audio]] = []
        self._replies: dict[int, ReplyHeard] = {}
        self._now: ReplyHeard | None = None
        self._cancelled: set[int] = set()

    def begin_piece(self, reply: int, index: int, text: str, content: bool) -> None:
        """What is written from here on belongs to this piece."""
        self._now = self._replies.setdefault(reply, ReplyHeard(reply))
        self._now.pieces.append(PieceHeard(index, text, content))

    def cancel(self, reply: int) -> None:
        """Nothing more of ``reply`` may be written."""
        self._cancelled.add(reply)

    def allows_writing(self) -> bool:
        """Whether the audio at hand belongs to a reply that is still wanted."""
        return self._now is not None and self._now.reply not in self._cancelled

    def write(self, at_ms: float, block: Audio) -> int | None:
        """Note a block of float32 samples whose first sample leaves at ``at_ms`` (device latency is added here).

        Returns the reply's number when this block made it audible for the first time, else None.
        """
        at_ms += self.latency_ms
        self.written.append((at_ms, block))
        if self._now is None:
            return None
        silent_before = not self._now.spans
        piece = self._now.pieces[-1]
        piece.samples += len(block)
        step = int(self.rate_hz * WINDOW_MS / 1000.0)
        for start in range(0, len(block), step):
            window = block[start : start + step]
            if _audible(window):
                self._heard(piece, at_ms + start * 1000.0 / self.rate_hz, len(window) * 1000.0 / self.rate_hz)
        return self._now.reply if silent_before and self._now.spans else None

    def underrun(self) -> None:
        """The output had nothing to play in the middle of a reply."""
        if self._now is not None:
            self._now.underruns += 1

    def of(self, reply: int) -> ReplyHeard:
        """What was heard of ``reply``; empty if nothing was."""
        return self._replies.get(reply, ReplyHeard(reply))

    def _heard(self, piece: PieceHeard, at_ms: float, length_ms: float) -> None:
        assert self._now is not None
        if piece.first_ms is None:
            piece.first_ms = at_ms
        spans = self._now.spans
        if spans and at_ms - spans[-1][1] <= JOIN_MS:
            spans[-1] = (spans[-1][0], at_ms + length_ms)
        else:
            spans.append((at_ms, at_ms + length_ms))


def _audible(window: Audio) -> bool:
    if not len(window):
        return False
    power = float(np.mean(np.square(window, dtype=np.float64)))
    return power > 0.0 and 10.0 * float(np.log10(power)) >= AUDIBLE_DBFS
