"""What of a call is fed, and when each turn then begins and ends, on the time line of the replay."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agent.calls.load import LoadedCall
from agent.calls.skip import shorten_gaps
from agent.calls.turns import LabelledTurn
from agent.dialogue import RecordedLine
from latency_budget.exchange import CallerTurn
from stages.contract import Audio


@dataclass(frozen=True)
class ReplayPlan:
    """The caller's audio to feed (16 kHz), the turns and the recorded agent's lines on its time line, in ms."""

    name: str
    caller: Audio
    turns: tuple[CallerTurn, ...]
    agent_lines: list[RecordedLine] | None
    skipped_s: float


def plan(loaded: LoadedCall, max_gap_s: float | None) -> ReplayPlan:
    """Shorten the gaps in which the caller says nothing to ``max_gap_s`` (None: keep them all)."""
    shortened = shorten_gaps(loaded, max_gap_s)
    lines = [
        RecordedLine(shortened.at_s(segment.end_s) * 1000.0, segment.text)
        for segment in loaded.call.turns
        if segment.role == "agent" and segment.text
    ]
    return ReplayPlan(
        name=loaded.call.name,
        caller=shortened.caller,
        turns=tuple(caller_turn(turn, shortened.at_s) for turn in loaded.turns),
        agent_lines=lines or None,
        skipped_s=shortened.removed_s,
    )


def caller_turn(turn: LabelledTurn, at_s: Callable[[float], float]) -> CallerTurn:
    """A labelled turn in milliseconds; ``at_s`` maps the recording's time to the replay's."""
    return CallerTurn(
        index=turn.index,
        start_ms=at_s(turn.start_s) * 1000.0,
        end_ms=at_s(turn.end_s) * 1000.0,
        holds=tuple((at_s(hold.start_s) * 1000.0, at_s(hold.end_s) * 1000.0) for hold in turn.holds),
        reference=turn.text or None,
    )
