"""What turn taking remembers, and the durations that it goes by. Plain data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from agent.turn_events import Heard, Known

LONGEST_TAIL_MS = 192.0
"""Voice activity falls at most this long after the level, as seen on recorded calls: 70 to 160 ms."""

PAUSES_KEPT = 20
"""How many of the caller's pauses are remembered: the newest."""


class Phase(StrEnum):
    """Where the conversation stands."""

    IDLE = "idle"
    SPEAKING = "speaking"
    PAUSED = "paused"
    COMMITTED = "committed"  # answered by the agent, nothing audible yet
    REPLYING = "replying"  # the reply is audible


@dataclass(frozen=True, slots=True)
class Rules:
    """Durations in milliseconds of audio. ``hold_ms`` maps what is known of a pause to the silence it demands."""

    hold_ms: Callable[[Known], float]
    open_ms: float = 96.0
    resume_ms: float = 64.0
    barge_in_ms: float = 192.0
    reopen_within_ms: float = 1800.0
    decide_after_ms: float = 64.0
    repeat_ms: float = 96.0
    no_words_ms: float = 1400.0
    text_limit_ms: float = 2500.0
    ask_again_voiced_ms: float = 400.0


@dataclass(frozen=True, slots=True)
class State:
    """Everything that turn taking remembers."""

    phase: Phase = Phase.IDLE
    turn: int = 0
    reply: int = 0
    position_ms: float = 0.0
    start_ms: float = 0.0
    last_voiced_ms: float = 0.0  # by voice activity: the silence that decides is counted from here
    covers_ms: float = 0.0  # by level too: what the words cover, and whose evidence counts
    fading: bool = False  # in this pause voice activity has not fallen yet
    voiced_ms: float = 0.0
    run_start_ms: float | None = None  # where the present run of voiced windows began
    read_for_ms: float | None = None
    score_for_ms: float | None = None
    scored_at_ms: float = 0.0
    scores: tuple[float, ...] = ()  # of this pause, in the order asked
    words_score: float | None = None
    said: str = ""
    pauses_ms: tuple[float, ...] = ()  # that turned out to be inside a turn of this caller, newest last
    heard: Heard | None = None
    drafted: int | None = None  # the reply that is being prepared for this pause
    committed_ms: float = 0.0
    stale: int = field(default=0)  # news of an old turn or pause that was dropped
