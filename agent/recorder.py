"""Marks of the live agent, one record a reply. Processors stamp; nothing is derived here.

All times are milliseconds on the pipeline's clock; ``origin_ms`` is when the first sample of the input began.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from agent.playback import Playback, ReplyHeard
from stages.contract import Prefill


@dataclass(slots=True)
class ReplyRecord:
    """Everything known about one commit of the agent and the reply that followed."""

    turn: int
    reply: int
    heard: str
    why: str
    covers_ms: float
    marks: dict[str, float] = field(default_factory=dict)
    path: str = "fast"
    prefill: Prefill | None = None
    generated: int = 0
    said: list[str] = field(default_factory=list)
    withdrawn_ms: float | None = None
    withdrawn_why: str | None = None
    failure: str | None = None
    played: ReplyHeard | None = None
    closed: bool = False


@dataclass(slots=True)
class Dropped:
    """A turn that was opened and held no words."""

    turn: int
    at_ms: float
    why: str


class Recorder:
    """Collects records; tells ``on_closed`` about each reply that is over."""

    def __init__(self, playback: Playback) -> None:
        self.playback = playback
        self.origin_ms = 0.0
        self.records: dict[int, ReplyRecord] = {}
        self.dropped: list[Dropped] = []
        self.failures: list[str] = []
        self.frame_lateness_ms: list[float] = []
        self.observed_ms: list[tuple[float, float]] = []  # when, latency
        self.stale = 0
        self.on_closed: Callable[[ReplyRecord], None] = lambda record: None

    def committed(self, record: ReplyRecord) -> None:
        """A turn was committed; its reply begins."""
        self.records[record.reply] = record

    def mark(self, reply: int, name: str, at_ms: float) -> None:
        """Stamp ``name`` on a reply, the first time only."""
        record = self.records.get(reply)
        if record is None or record.closed:
            self.stale += 1
            return
        record.marks.setdefault(name, at_ms)

    def failed(self, what: str) -> None:
        """A fault that the agent survived."""
        self.failures.append(what)

    def close(self, reply: int, at_ms: float, withdrawn: str | None = None) -> None:
        """The reply is over: played, or withdrawn for the reason given."""
        record = self.records.get(reply)
        if record is None or record.closed:
            return
        if withdrawn:
            record.withdrawn_ms, record.withdrawn_why = at_ms, withdrawn
        record.played = self.playback.of(reply)
        record.closed = True
        self.on_closed(record)

    def close_all(self, at_ms: float) -> None:
        """The stream has ended."""
        for reply in list(self.records):
            self.close(reply, at_ms, "the call ended")
