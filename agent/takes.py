"""The takes of one reply as they are spoken into memory: which piece is spoken next, and which may be played."""

from __future__ import annotations

from dataclasses import dataclass, field

from agent.frames import BRIDGE, PieceFrame
from stages.contract import Audio


@dataclass(slots=True)
class Slot:
    """A piece and its audio, once it is there; no sample where it could not be spoken."""

    piece: PieceFrame
    audio: Audio | None = None
    begun: bool = False


@dataclass(slots=True)
class Take:
    """One way of answering, piece by piece."""

    slots: list[Slot] = field(default_factory=list)

    @property
    def ready(self) -> bool:
        """Whether it can be begun: its first audio is there, whatever was silent before it."""
        for slot in self.slots:
            if slot.audio is None:
                return False
            if len(slot.audio):
                return True
        return False

    @property
    def empty(self) -> bool:
        """Whether it is complete and has nothing that can be heard."""
        whole = bool(self.slots) and self.slots[-1].piece.last
        return whole and all(slot.audio is not None and not len(slot.audio) for slot in self.slots)

    def unspoken(self) -> Slot | None:
        """The next piece to speak."""
        return next((slot for slot in self.slots if slot.audio is None and not slot.begun), None)


@dataclass(slots=True)
class Takes:
    """All takes of one reply. ``begun`` is the one of which something was handed over."""

    reply: int
    lead: int = 0
    play: bool = False
    begun: int | None = None
    bridge: Slot | None = None
    of: dict[int, Take] = field(default_factory=dict)

    def add(self, piece: PieceFrame) -> Slot | None:
        """Keep ``piece``; None for a bridge phrase that comes too late."""
        slot = Slot(piece)
        if piece.take == BRIDGE:
            if self.begun is not None or self.bridge is not None:
                return None
            self.bridge = slot
        else:
            self.of.setdefault(piece.take, Take()).slots.append(slot)
        return slot

    def choose(self, take: int, *, play: bool) -> None:
        """Follow the council, until something was handed over."""
        if self.begun is None:
            self.lead, self.play = take, self.play or play

    def next_slot(self) -> Slot | None:
        """What to speak next: all of the take that leads, then of each other one as much as it needs to begin."""
        if self.bridge is not None and self.bridge.audio is None and not self.bridge.begun:
            return self.bridge
        leading = self.of.get(self.lead)
        if leading is not None and (slot := leading.unspoken()) is not None:
            return slot
        if self.begun is not None:
            return None
        waiting = (take.unspoken() for take in self.of.values() if not take.ready)
        return next((slot for slot in waiting if slot is not None), None)

    def can_begin(self) -> bool:
        """Whether the leading take may be handed over now."""
        return (
            self.play and self.begun is None and (take := self.of.get(self.lead)) is not None and take.ready
        )
