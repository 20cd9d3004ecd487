"""Our report against other people's tools, figure by figure. Pure: what each tool said comes in as data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from agent.report.schema import Report, Turn, UnmatchedRow
from latency_budget.exchange import Span
from latency_budget.marks import Mark

AGREES_MS = 50.0
SAME_SOUND_MS = 500.0
"""An end of speech or a beginning of a reply that a tool puts further away than this is another one."""


@dataclass(frozen=True)
class Heard:
    """What a tool says about the reply to one turn, in ms on the call's time line; None: it does not see it."""

    caller_end_ms: float | None
    agent_start_ms: float | None


@dataclass(frozen=True)
class Check:
    """One figure, ours and a tool's. ``why`` explains a difference of more than 50 ms."""

    tool: str
    figure: str
    turn: int | None
    ours_ms: float
    theirs_ms: float | None
    why: str = ""

    @property
    def difference_ms(self) -> float | None:
        """Theirs less ours."""
        return None if self.theirs_ms is None else self.theirs_ms - self.ours_ms

    @property
    def agrees(self) -> bool:
        """Whether they are within 50 ms of each other."""
        return self.difference_ms is not None and abs(self.difference_ms) <= AGREES_MS


def timed(turns: Sequence[Turn]) -> list[Turn]:
    """The turns whose reply began after their end: those that have an onset."""
    return [turn for turn in turns if turn.onset_ms is not None]


def latencies(tool: str, turns: Sequence[Turn], heard: Mapping[int, Heard]) -> list[Check]:
    """The wait for each reply: from the caller's last sound to the agent's first."""
    return [_latency(tool, turn, heard.get(turn.turn, Heard(None, None))) for turn in timed(turns)]


def _latency(tool: str, turn: Turn, heard: Heard) -> Check:
    end_ms, start_ms = turn.marks[Mark.SPEECH_END], turn.marks[Mark.FIRST_AUDIO]
    ours = start_ms - end_ms
    if heard.caller_end_ms is None or heard.agent_start_ms is None:
        return Check(tool, "wait for the reply", turn.turn, ours, None, _unseen(heard))
    theirs = heard.agent_start_ms - heard.caller_end_ms
    later_end, later_start = heard.caller_end_ms - end_ms, heard.agent_start_ms - start_ms
    why = "" if abs(theirs - ours) <= AGREES_MS else _shifted(later_end, later_start)
    return Check(tool, "wait for the reply", turn.turn, ours, theirs, why)


def _unseen(heard: Heard) -> str:
    if heard.caller_end_ms is None:
        return "it sees no end of the caller's speech here: the level around it does not fall below its threshold"
    return "it sees no reply that begins after the caller's end"


def _shifted(later_end: float, later_start: float) -> str:
    parts = []
    if abs(later_end) > AGREES_MS / 2:
        parts.append(
            f"the caller ends {abs(later_end):.0f} ms {'later' if later_end > 0 else 'earlier'} for it: it goes by "
            "the level above the noise, we by the label and 30 dB below the loudest word"
        )
    if abs(later_start) > SAME_SOUND_MS:
        parts.append(
            "it takes another sound of the agent, inside the caller's turn or after it, for the reply"
        )
    elif abs(later_start) > AGREES_MS / 2:
        parts.append(
            f"the agent begins {abs(later_start):.0f} ms {'later' if later_start > 0 else 'earlier'} for it: "
            "a soft first sound that its threshold leaves out or takes in"
        )
    return "; ".join(parts)


def agent_spans(report: Report, call: str) -> list[Span]:
    """When the agent could be heard in a call, replies that belong to no turn included."""
    rows: list[Turn | UnmatchedRow] = [*report.turns, *report.unmatched]
    return sorted({span for row in rows if row.call == call for span in row.audible_ms})


def voiced(turn: Turn) -> list[Span]:
    """When the caller is audible inside a turn."""
    edges = [turn.marks[Mark.SPEECH_START]]
    for start, end in turn.holds_ms:
        edges += [start, end]
    edges.append(turn.marks[Mark.SPEECH_END])
    return list(zip(edges[::2], edges[1::2], strict=True))


def overlap(one: Iterable[Span], other: Iterable[Span]) -> float:
    """How long both are audible, in ms."""
    second = list(other)
    return sum(max(0.0, min(a[1], b[1]) - max(a[0], b[0])) for a in one for b in second)


def overlaps(
    tool: str, turns: Sequence[Turn], spans: Sequence[Span], theirs: Mapping[int, float]
) -> list[Check]:
    """How long agent and caller talk at once, for each turn in which either sees it."""
    checks = []
    for turn in turns:
        ours, other = overlap(voiced(turn), spans), theirs.get(turn.turn, 0.0)
        if ours or other:
            why = (
                "short pauses inside a voice are speech for it (250 ms of silence end it) and none for us "
                "(60 ms in the agent's)"
            )
            checks.append(
                Check(
                    tool, "talk at once", turn.turn, ours, other, why if abs(other - ours) > AGREES_MS else ""
                )
            )
    return checks


def talked_over(turns: Sequence[Turn], spans: Sequence[Span]) -> dict[int, float]:
    """The turns that began while the agent could be heard, and after how many ms the agent was silent."""
    found = {}
    for turn in turns:
        start = turn.marks[Mark.SPEECH_START]
        at = next((index for index, span in enumerate(spans) if span[0] < start < span[1]), None)
        if at is None:
            continue
        end = spans[at][1]
        for span in spans[at + 1 :]:
            if span[0] - end > QUIET_MS:
                break
            end = span[1]
        found[turn.turn] = end - start
    return found


QUIET_MS = 250.0
"""A silence of the agent up to this long is a pause in a reply that goes on."""


def yields(tool: str, ours: Mapping[int, float], theirs: Mapping[int, float | None]) -> list[Check]:
    """How soon the agent was silent once the caller spoke over it."""
    checks = []
    for turn, ms in ours.items():
        other = theirs.get(turn)
        why = ""
        if other is None:
            why = "it does not see the agent talking at that moment, or not becoming silent"
        elif abs(other - ms) > AGREES_MS:
            why = (
                "the caller's first sound or the agent's last one lies elsewhere by its threshold"
                if (abs(other - ms) <= SAME_SOUND_MS / 2)
                else "it bridges a pause of the agent, or stops at one, where we do not"
            )
        checks.append(Check(tool, "silent after a barge-in", turn, ms, other, why))
    return checks
