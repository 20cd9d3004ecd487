"""PURE: every silence of the caller as live voice activity sees it, and what the labels say it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from agent.calls.turns import LabelledTurn

WINDOW_MS = 32.0
Kind = Literal["hold", "shift"]

_EARLY_MS = 200.0
"""Voice activity may hear a turn begin this much before its label."""

_LATE_MS = 600.0
"""A silence that begins this long after the labelled end follows a noise, not the caller."""


@dataclass(frozen=True, slots=True)
class Pause:
    """A silence between two runs of voice: ``start_ms`` is the last voiced position, ``end_ms`` where voice is back."""

    start_ms: float
    end_ms: float | None

    @property
    def length_ms(self) -> float:
        """Length; infinite where no voice follows."""
        return float("inf") if self.end_ms is None else self.end_ms - self.start_ms


@dataclass(frozen=True, slots=True)
class Silence:
    """A pause that belongs to the caller's turn ``turn``.

    Attributes:
        turn_start_ms: where voice activity heard the turn begin.
        true_end_ms: the labelled end of the turn.
        said: what the recorded agent had said before the turn.
        pauses_ms: the caller's earlier pauses inside turns.
    """

    turn: int
    kind: Kind
    start_ms: float
    length_ms: float
    turn_start_ms: float
    true_end_ms: float
    said: str
    pauses_ms: tuple[float, ...]


def pauses_of(voiced: Sequence[bool], resume_ms: float = 64.0) -> list[Pause]:
    """The pauses in a stream of windows; a run of voice shorter than ``resume_ms`` breaks none."""
    found: list[Pause] = []
    last_voiced: float | None = None
    run_start: float | None = None
    for at, voice in enumerate(voiced):
        begin, end = at * WINDOW_MS, (at + 1) * WINDOW_MS
        if not voice:
            run_start = None
            continue
        run_start = begin if run_start is None else run_start
        if end - run_start < resume_ms:
            continue
        if last_voiced is not None and run_start > last_voiced:
            found.append(Pause(last_voiced, run_start))
        last_voiced = end
    if last_voiced is not None:
        found.append(Pause(last_voiced, None))
    return found


def silences(
    voiced: Sequence[bool],
    turns: Sequence[LabelledTurn],
    said_before: Sequence[str],
    *,
    decide_after_ms: float = 64.0,
) -> list[Silence]:
    """The silences of ``turns`` in which a decision could fall, in order; ``said_before`` is one text a turn.

    Left out: turns that lie wholly inside the agent's speech, and the end of a turn that no agent answered.
    """
    pauses = pauses_of(voiced)
    learned: list[float] = []
    found: list[Silence] = []
    for at, turn in enumerate(turns):
        until = turns[at + 1].start_s * 1000.0 - _EARLY_MS if at + 1 < len(turns) else float("inf")
        start_ms = _heard_start(pauses, turn)
        end_ms = turn.end_s * 1000.0
        own = [p for p in pauses if turn.start_s * 1000.0 - _EARLY_MS <= p.start_ms < until]
        for pause in own:
            if pause.start_ms > end_ms + _LATE_MS:
                break
            hold = pause.end_ms is not None and pause.end_ms <= end_ms
            wanted = not turn.backchannel and (hold or turn.agent_next_s is not None)
            if wanted and pause.length_ms > decide_after_ms:
                kind: Kind = "hold" if hold else "shift"
                found.append(
                    Silence(
                        turn.index, kind, pause.start_ms, pause.length_ms, start_ms, end_ms,
                        said_before[at], tuple(learned),
                    )
                )  # fmt: skip
            if hold:
                learned.append(pause.length_ms)
    return found


def _heard_start(pauses: Sequence[Pause], turn: LabelledTurn) -> float:
    """Where voice was back at the turn's labelled start; the label's own place where nothing tells them apart."""
    label = turn.start_s * 1000.0
    near = [p.end_ms for p in pauses if p.end_ms is not None and abs(p.end_ms - label) <= 2 * _EARLY_MS]
    return min(near, key=lambda at: abs(at - label), default=label)


def said_before(turns: Sequence[LabelledTurn]) -> list[str]:
    """What the agent last said before each turn: since the turn before, else the last thing said at all."""
    last = ""
    texts: list[str] = []
    for turn in turns:
        last = " ".join(turn.said_before) or last
        texts.append(last)
    return texts
