"""What `calls show` and its kin print: a call as tables for people, and as one JSON document for programs."""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from agent.calls.load import LoadedCall
from agent.calls.turns import LabelledTurn

_ORIGIN = {
    "labels": "the file's labels, ends pulled back to the last audible speech",
    "offline_vad": "the offline pass (voice activity over the whole recording, ends by level)",
}


def origin(loaded: LoadedCall) -> str:
    """Where the labels came from, in words."""
    if loaded.call.exact:
        return "the call's making: exact, used as they are"
    return _ORIGIN[loaded.speech_end_source]


def tables(loaded: LoadedCall) -> RenderableType:
    """The call's facts, a table of the caller's turns, and what to know about the recording."""
    call = loaded.call
    kind = "made, both voices are synthetic" if call.synthetic else "recorded"
    holds = sum(len(turn.holds) for turn in loaded.turns)
    shifts = sum(turn.agent_next_s is not None for turn in loaded.turns)
    agent = "no channel of its own" if loaded.agent is None else "on its own channel"
    lines = [
        f"{call.name}: {loaded.seconds:.2f} s, {kind}; agent {agent}",
        f"{len(loaded.turns)} caller turns, {holds} holds, {shifts} shifts",
        f"labels from {origin(loaded)}",
        *(f"note: {note}" for note in loaded.notes),
    ]
    return Group(Text("\n".join(lines)), _turn_table(loaded.turns))


def document(loaded: LoadedCall) -> dict[str, Any]:
    """The same for programs; times in seconds."""
    call = loaded.call
    return {
        "schema": 1,
        "call": call.name,
        "seconds": round(loaded.seconds, 3),
        "synthetic": call.synthetic,
        "speech_end_source": loaded.speech_end_source,
        "exact": call.exact,
        "agent_channel": loaded.agent is not None,
        "notes": list(loaded.notes),
        "turns": [_turn(turn) for turn in loaded.turns],
    }


def _turn(turn: LabelledTurn) -> dict[str, Any]:
    return {
        "turn": turn.index,
        "speech_start_s": round(turn.start_s, 3),
        "speech_end_s": round(turn.end_s, 3),
        "holds": [{"start_s": round(one.start_s, 3), "end_s": round(one.end_s, 3)} for one in turn.holds],
        "shift_s": None if turn.shift_s is None else round(turn.shift_s, 3),
        "backchannel": turn.backchannel,
        "text": turn.text,
        "agent_before": list(turn.said_before),
    }


def _turn_table(turns: tuple[LabelledTurn, ...]) -> Table:
    table = Table(
        caption="Seconds. A hold is a silence inside a turn, a shift the one before the agent speaks."
    )
    for heading in ("turn", "start", "end", "length", "holds", "shift"):
        table.add_column(heading, justify="right")
    table.add_column("words")
    for turn in turns:
        holds = " ".join(f"{hold.seconds:.2f}" for hold in turn.holds) or "-"
        shift = "-" if turn.shift_s is None else f"{turn.shift_s:.2f}"
        words = escape(turn.text) or "[dim]not written down[/dim]"
        if turn.backchannel:
            words += " [dim](while the agent speaks)[/dim]"
        length = turn.end_s - turn.start_s
        times = (f"{turn.start_s:.2f}", f"{turn.end_s:.2f}", f"{length:.2f}")
        table.add_row(str(turn.index), *times, holds, shift, words)
    return table
