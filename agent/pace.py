"""How often a growing stretch is read again, pure: never so often that it takes more than its share of a core."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Pace:
    """``every_ms`` of audio between two readings at least; more when one takes more than ``share`` of that."""

    every_ms: float
    share: float
    started_ms: float = 0.0
    cost_ms: float = 0.0

    @property
    def wait_ms(self) -> float:
        """Audio between the starts of two readings."""
        return max(self.every_ms, self.cost_ms / self.share)

    def due(self, now_ms: float) -> bool:
        """Whether it is time, at ``now_ms`` of the audio."""
        return now_ms - self.started_ms >= self.wait_ms

    def started(self, now_ms: float) -> Pace:
        """A reading began, or speech did: the next is due a while later."""
        return replace(self, started_ms=now_ms)

    def took(self, cost_ms: float) -> Pace:
        """What a reading cost."""
        return replace(self, cost_ms=cost_ms)
