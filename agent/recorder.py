"""Marks of the live agent, one record a reply. Processors stamp; nothing is derived here.

All times are milliseconds on the pipeline's clock; ``origin_ms`` is when the first sample of the input began.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from agent.playback import Playback, ReplyHeard
from latency_budget.exchange import Path
from stages.contract import Prefill


@dataclass(frozen=True, slots=True)
class TurnForecast:
    """What was predicted when the turn was committed: onsets by path, in ms after the caller's last voiced sample."""

    predicted_ms: Mapping[str, float]
    predicted_p95_ms: Mapping[str, float]
    why: str


@dataclass(slots=True)
class ReplyRecord:
    """Everything known about one reply: a draft until its turn is committed."""

    turn: int
    reply: int
    heard: str
    covers_ms: float
    committed: bool = False
    why: str = ""
    marks: dict[str, float] = field(default_factory=dict)
    path: Path = "fast"
    cached: bool = False  # a likely reply: no model was asked
    prefill: Prefill | None = None
    generated: int = 0
    generated_ahead: int = 0  # tokens before the turn was committed
    audio_s: float = 0.0
    audio_ahead_s: float = 0.0
    said: list[str] = field(default_factory=list)
    withdrawn_ms: float | None = None
    withdrawn_why: str | None = None
    failure: str | None = None
    played: ReplyHeard | None = None
    closed: bool = False
    forecast: TurnForecast | None = None


@dataclass(slots=True)
class Dropped:
    """A turn that was opened and held no words."""

    turn: int
    at_ms: float
    why: str


class Watcher(Protocol):
    """Who follows the records as they grow."""

    def committed(self, record: ReplyRecord, at_ms: float, origin_ms: float) -> None:
        """Its turn is over."""
        ...

    def closed(self, record: ReplyRecord, origin_ms: float) -> None:
        """A committed reply was played, or withdrawn."""
        ...


class Recorder:
    """Collects records."""

    def __init__(self, playback: Playback) -> None:
        self.playback = playback
        self.origin_ms = 0.0
        self.records: dict[int, ReplyRecord] = {}
        self.dropped: list[Dropped] = []
        self.failures: list[str] = []
        self.frame_lateness_ms: list[float] = []
        self.observed_ms: list[tuple[float, float]] = []  # when, latency
        self.stale = 0
        self.watcher: Watcher | None = None

    def begin(self, record: ReplyRecord) -> None:
        """A reply is being made."""
        self.records[record.reply] = record

    def commit(self, reply: int, at_ms: float, why: str) -> None:
        """Its turn is over. What was made before counts as prepared."""
        record = self.records[reply]
        record.committed, record.why = True, why
        record.marks["turn_end"] = at_ms
        started = record.marks.get("reply_started")
        record.path = "speculated" if started is not None and started < at_ms else "fast"
        if record.cached:
            record.path = "cached"
        if self.watcher:
            self.watcher.committed(record, at_ms, self.origin_ms)

    def needs_no_model(self, reply: int) -> None:
        """The reply was found ready; the news may come after the commit."""
        record = self.records.get(reply)
        if record is None:
            return
        record.cached = True
        if record.committed:
            record.path = "cached"

    def made(self, reply: int, *, tokens: int = 0, audio_s: float = 0.0) -> None:
        """Something of a reply was made: tokens or audio."""
        record = self.records.get(reply)
        if record is None:
            return
        record.generated += tokens
        record.audio_s += audio_s
        if not record.committed:
            record.generated_ahead += tokens
            record.audio_ahead_s += audio_s

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
        if self.watcher and record.committed:
            self.watcher.closed(record, self.origin_ms)

    def close_all(self, at_ms: float) -> None:
        """The stream has ended."""
        for reply in list(self.records):
            self.close(reply, at_ms, "the call ended")
