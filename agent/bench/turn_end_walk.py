"""PURE: every silence of the caller as live voice activity sees it, and what the labels say it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from agent.calls.turns import LabelledTurn
from agent.turn import LONGEST_TAIL_MS
from stages.endpoint.voice_gate import Voice

WINDOW_MS = 32.0
Kind = Literal["hold", "shift"]

_EARLY_MS = 200.0
"""Voice activity may hear a turn begin this much before its label."""

_LATE_MS = 600.0
"""A silence that begins this long after the labelled end follows a noise, not the caller."""


@dataclass(frozen=True, slots=True)
class Pause:
    """A silence between two runs of voice.

    Attributes:
        start_ms: last position with voice for voice activity.
        end_ms: where voice is back; None where it is not.
        lead_ms: how long before ``start_ms`` the level had fallen already.
    """

    start_ms: float
    end_ms: float | None
    lead_ms: float = 0.0

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
        lead_ms: how long before ``start_ms`` the level had fallen: the words were read from then on.
    """

    turn: int
    kind: Kind
    start_ms: float
    length_ms: float
    turn_start_ms: float
    true_end_ms: float
    said: str
    pauses_ms: tuple[float, ...]
    lead_ms: float = 0.0


def pauses_of(voices: Sequence[Voice], resume_ms: float = 64.0) -> list[Pause]:
    """The pauses in a stream of windows, as :func:`agent.turn.step` takes them.

    A run of voice shorter than ``resume_ms`` breaks none; a dip of the level that voice activity bridges is none.
    """
    found: list[Pause] = []
    heard = speaking = fading = False
    run_start = quiet_ms = silent_ms = 0.0
    running = False
    for at, voice in enumerate(voices):
        begin, end = at * WINDOW_MS, (at + 1) * WINDOW_MS
        if voice.loud:
            run_start = run_start if running else begin
            running = True
            if speaking or end - run_start >= resume_ms:
                if heard and not speaking and not fading:
                    found.append(_pause(quiet_ms, silent_ms, run_start))
                heard = speaking = True
                quiet_ms = silent_ms = end
                continue
        else:
            running = False
        if speaking:
            speaking, fading = False, True
        fading = fading and voice.voiced
        if fading:
            silent_ms = end
    if heard:
        found.append(_pause(quiet_ms, silent_ms, None))
    return found


def _pause(quiet_ms: float, silent_ms: float, end_ms: float | None) -> Pause:
    lead = silent_ms - quiet_ms
    return Pause(silent_ms, end_ms, lead if lead <= LONGEST_TAIL_MS else 0.0)


def silences(
    voices: Sequence[Voice],
    turns: Sequence[LabelledTurn],
    said_before: Sequence[str],
    *,
    decide_after_ms: float = 64.0,
) -> list[Silence]:
    """The silences of ``turns`` in which a decision could fall, in order; ``said_before`` is one text a turn.

    Left out: turns that lie wholly inside the agent's speech, and the end of a turn that no agent answered.
    """
    pauses = pauses_of(voices)
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
                        said_before[at], tuple(learned), pause.lead_ms,
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
