"""PURE: what is a turn. From labelled segments to the caller's turns, their holds and shifts.

Consecutive caller segments with no agent speech between them are one turn; the gaps inside it are holds; its
end is a shift. Where the parties overlap:

- An agent's word that starts and ends within a caller's segment (a backchannel) splits nothing.
- Agent speech that reaches into the gap between two caller segments, from either side, by 100 ms or more
  splits them: the agent took the turn, or kept it. (Labels are good to about 100 ms, so less is no evidence.)
- A caller's turn that lies wholly inside agent speech is marked ``backchannel``: nobody waits for its
  answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from agent.calls.model import Segment

MIN_AGENT_S = 0.1


@dataclass(frozen=True, slots=True)
class Hold:
    """A silence inside a turn, in seconds from the call's begin."""

    start_s: float
    end_s: float

    @property
    def seconds(self) -> float:
        """Length."""
        return self.end_s - self.start_s


@dataclass(frozen=True, slots=True)
class LabelledTurn:
    """One turn of the caller. Times are in seconds from the call's begin.

    Attributes:
        index: counts the caller's turns from 0.
        segments: the caller's segments; the first one's start is ``speech_start``, the last one's end
            ``speech_end``.
        said_before: what the agent said since the turn before, as far as it had ended when this turn began.
        agent_next_s: when the agent began to answer, before ``end_s`` where the two overlap; None if it
            never did.
        backchannel: the whole turn lies inside the agent's speech.
    """

    index: int
    segments: tuple[Segment, ...]
    said_before: tuple[str, ...] = ()
    agent_next_s: float | None = None
    backchannel: bool = False

    @property
    def start_s(self) -> float:
        """First voiced sample."""
        return self.segments[0].start_s

    @property
    def end_s(self) -> float:
        """Last voiced sample: ``speech_end``, where the shift begins."""
        return self.segments[-1].end_s

    @property
    def holds(self) -> tuple[Hold, ...]:
        """The silences inside the turn."""
        pairs = zip(self.segments, self.segments[1:], strict=False)
        return tuple(Hold(one.end_s, two.start_s) for one, two in pairs)

    @property
    def shift_s(self) -> float | None:
        """Silence until the agent spoke: negative where it began too early, None where it never did."""
        return None if self.agent_next_s is None else self.agent_next_s - self.end_s

    @property
    def text(self) -> str:
        """All words of the turn."""
        return " ".join(segment.text for segment in self.segments if segment.text)


def caller_turns(segments: Iterable[Segment]) -> tuple[LabelledTurn, ...]:
    """The caller's turns, in order, from segments that passed :func:`agent.calls.model.check_segments`."""
    segments = tuple(segments)
    agent = [segment for segment in segments if segment.role == "agent"]
    groups: list[list[Segment]] = []
    for segment in (segment for segment in segments if segment.role == "caller"):
        if groups and not _speaks_between(agent, groups[-1][-1].end_s, segment.start_s):
            groups[-1].append(segment)
        else:
            groups.append([segment])
    turns = [LabelledTurn(index, tuple(group)) for index, group in enumerate(groups)]
    return tuple(_with_agent(turn, turns, agent) for turn in turns)


def _with_agent(turn: LabelledTurn, turns: Sequence[LabelledTurn], agent: Sequence[Segment]) -> LabelledTurn:
    since = turns[turn.index - 1].start_s if turn.index else 0.0
    said = tuple(one.text for one in agent if since < one.end_s <= turn.start_s and one.text)
    until = turns[turn.index + 1].start_s if turn.index + 1 < len(turns) else float("inf")
    last = turn.segments[-1]
    # The answer begins in the last segment at the earliest; a backchannel inside it is over before it is.
    after = [one.start_s for one in agent if last.start_s < one.start_s < until and one.end_s > last.end_s]
    covered = any(one.start_s <= turn.start_s and turn.end_s <= one.end_s for one in agent)
    return replace(turn, said_before=said, agent_next_s=min(after, default=None), backchannel=covered)


def _speaks_between(agent: Sequence[Segment], start_s: float, end_s: float) -> bool:
    """Whether agent speech covers at least ``MIN_AGENT_S`` of the gap."""
    spoken = sum(max(0.0, min(one.end_s, end_s) - max(one.start_s, start_s)) for one in agent)
    return spoken >= MIN_AGENT_S - 1e-9
