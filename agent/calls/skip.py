"""PURE: shortens the long silences of a call, so that a replay need not wait them out.

A gap is a stretch in which the caller does not speak. One longer than ``max_gap_s`` keeps its last second (so that
the next words come out of the room's own sound; a quarter of ``max_gap_s`` if that is below 4 s) and before it its
beginning (room for the answer), ``max_gap_s`` in all. No sample of the caller's speech is touched.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from agent.calls.label import Span
from agent.calls.load import LoadedCall
from agent.calls.turns import LabelledTurn
from stages.contract import RATE_HZ, Audio

MAX_GAP_S = 4.0
SHORTEST_GAP_S = 1.0
_LAST_S = 1.0
_FADE_S = 0.010


@dataclass(frozen=True, slots=True)
class SkipPlan:
    """Which stretches to take out, in samples, in order, none touching another."""

    removed: tuple[Span, ...]
    samples: int

    @property
    def kept_samples(self) -> int:
        """Length after the cuts."""
        return self.samples - sum(span.end - span.start for span in self.removed)

    @property
    def removed_s(self) -> float:
        """Seconds taken out."""
        return (self.samples - self.kept_samples) / RATE_HZ

    def moved_s(self, at_s: float) -> float:
        """Where a moment of the call lies after the cuts; one inside a cut lies at its joint."""
        at = at_s * RATE_HZ
        gone = sum(min(at, span.end) - span.start for span in self.removed if span.start < at)
        return (at - gone) / RATE_HZ


@dataclass(frozen=True, slots=True)
class Shortened:
    """A caller's channel without its long silences, the turns at their new places, and what was taken out."""

    caller: Audio
    turns: tuple[LabelledTurn, ...]
    plan: SkipPlan

    @property
    def removed_s(self) -> float:
        """Seconds taken out."""
        return self.plan.removed_s

    def at_s(self, at_s: float) -> float:
        """Where a moment of the call lies now."""
        return self.plan.moved_s(at_s)


def shorten_gaps(loaded: LoadedCall, max_gap_s: float | None = MAX_GAP_S) -> Shortened:
    """Take the gaps longer than ``max_gap_s`` out of a call; None keeps them. Raises ValueError below 1 s."""
    if max_gap_s is None:
        return Shortened(loaded.caller, loaded.turns, SkipPlan((), len(loaded.caller)))
    spoken = (segment for turn in loaded.turns for segment in turn.segments)
    plan = plan_skips(((one.start_s, one.end_s) for one in spoken), len(loaded.caller), max_gap_s)
    return Shortened(splice(loaded.caller, plan), moved_turns(loaded.turns, plan), plan)


def plan_skips(speech_s: Iterable[tuple[float, float]], samples: int, max_gap_s: float) -> SkipPlan:
    """What to take out of a channel of ``samples`` at 16 kHz, from the caller's speech (start and end, seconds).

    Raises ValueError if ``max_gap_s`` is below 1 s.
    """
    if max_gap_s < SHORTEST_GAP_S:
        raise ValueError(f"max_gap_s is {max_gap_s:g}; it must be at least {SHORTEST_GAP_S:g}")
    last = round(min(_LAST_S, max_gap_s / 4) * RATE_HZ)
    removed: list[Span] = []
    cursor = 0
    for start_s, end_s in [*sorted(speech_s), (samples / RATE_HZ, samples / RATE_HZ)]:
        gap = Span(cursor, int(np.floor(start_s * RATE_HZ)))
        if gap.end - gap.start > max_gap_s * RATE_HZ:
            removed.append(Span(gap.start + round(max_gap_s * RATE_HZ) - last, gap.end - last))
        cursor = max(cursor, int(np.ceil(end_s * RATE_HZ)))
    return SkipPlan(tuple(removed), samples)


def splice(audio: Audio, plan: SkipPlan) -> Audio:
    """``audio`` without what the plan takes out. The last 10 ms before a joint cross-fade into what follows it."""
    kept: list[Audio] = []
    cursor = 0
    for span in plan.removed:
        part = audio[cursor : span.start].copy()
        fade = min(round(_FADE_S * RATE_HZ), len(part), span.end - span.start)
        if fade:
            ramp = (np.arange(1, fade + 1) / fade).astype(np.float32)
            part[-fade:] = part[-fade:] * (1 - ramp) + audio[span.end - fade : span.end] * ramp
        kept.append(part)
        cursor = span.end
    kept.append(audio[cursor:])
    return np.concatenate(kept)


def moved_turns(turns: Sequence[LabelledTurn], plan: SkipPlan) -> tuple[LabelledTurn, ...]:
    """``turns`` at their places after the cuts; every segment keeps its length."""
    return tuple(_moved(turn, plan) for turn in turns)


def _moved(turn: LabelledTurn, plan: SkipPlan) -> LabelledTurn:
    segments = []
    for one in turn.segments:
        shift_s = plan.moved_s(one.start_s) - one.start_s
        times = {"start_s": one.start_s + shift_s, "end_s": one.end_s + shift_s}
        segments.append(one.model_copy(update=times))
    answer = None if turn.agent_next_s is None else plan.moved_s(turn.agent_next_s)
    return replace(turn, segments=tuple(segments), agent_next_s=answer)
