"""What is known about a pause of the caller at one moment: the input of the turn-end decision."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything that speaks for or against the turn's end. What is not known yet, or failed, stays None or empty.

    Attributes:
        audio: the sound model's probabilities in this pause, in the order asked.
        text: the caller's words of this turn so far, as the recogniser wrote them.
        text_end: the language model's probability that the message ends there.
        said: the agent's last words before the turn.
        pauses_ms: this caller's pauses so far that turned out to be inside a turn of theirs.
        turn_ms: length of the turn so far, pauses included.
    """

    audio: tuple[float, ...] = ()
    text: str | None = None
    text_end: float | None = None
    said: str = ""
    pauses_ms: tuple[float, ...] = ()
    turn_ms: float = 0.0
