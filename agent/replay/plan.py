"""What of a call is fed, and when each turn then begins and ends, on the time line of the replay."""

from __future__ import annotations

from dataclasses import dataclass

from agent.calls.load import LoadedCall
from agent.calls.skip import shorten_gaps
from agent.calls.turns import LabelledTurn
from agent.dialogue import RecordedLine
from latency_budget.exchange import CallerTurn
from stages.contract import Audio


@dataclass(frozen=True)
class ReplayPlan:
    """The caller's audio to feed (16 kHz), the turns and the recorded agent's lines on its time line, in ms.

    ``agent_lines`` is None where the call has no agent channel: history then holds our own replies.
    """

    name: str
    caller: Audio
    turns: tuple[CallerTurn, ...]
    agent_lines: list[RecordedLine] | None
    skipped_s: float


def plan(loaded: LoadedCall, max_gap_s: float | None) -> ReplayPlan:
    """Shorten the gaps in which the caller says nothing to ``max_gap_s`` (None: keep them all)."""
    short = shorten_gaps(loaded, max_gap_s)
    lines = [
        RecordedLine(short.at_s(segment.end_s) * 1000.0, segment.text)
        for segment in loaded.call.turns
        if segment.role == "agent" and segment.text
    ]
    return ReplayPlan(
        name=loaded.call.name,
        caller=short.caller,
        turns=tuple(caller_turn(turn) for turn in short.turns),
        agent_lines=lines or None,
        skipped_s=short.removed_s,
    )


def caller_turn(turn: LabelledTurn) -> CallerTurn:
    """A labelled turn in milliseconds."""
    return CallerTurn(
        index=turn.index,
        start_ms=turn.start_s * 1000.0,
        end_ms=turn.end_s * 1000.0,
        holds=tuple((hold.start_s * 1000.0, hold.end_s * 1000.0) for hold in turn.holds),
        reference=turn.text or None,
    )
