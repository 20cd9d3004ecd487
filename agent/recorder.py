"""Marks of the live agent, one record a reply. Processors stamp; nothing is derived here.

All times are milliseconds on the pipeline's clock; ``origin_ms`` is when the first sample of the input began.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from agent.playback import Playback, ReplyHeard
from latency_budget.exchange import Path
from latency_budget.hindsight import Best
from stages.contract import Prefill

WAY_MARKS = ("reply_started", "seat_started", "reply_first_segment", "tts_first_chunk")
"""Marks that each way of answering has for itself; a reply's are those of the way that is heard."""


@dataclass(frozen=True, slots=True)
class DecisionNote:
    """One decision of the controller; times in ms after the caller's last voiced sample.

    ``predicted_ms`` and ``predicted_p95_ms`` are onsets by path; ``quality`` and ``price`` are what each is worth and
    what it would still cost. ``chosen`` is None for the safe sentence.
    """

    event: str
    waited_ms: float
    chosen: str | None
    why: str
    predicted_ms: Mapping[str, float]
    predicted_p95_ms: Mapping[str, float]
    quality: Mapping[str, float]
    price: Mapping[str, float]
    started: tuple[str, ...] = ()
    aborted: tuple[str, ...] = ()


@dataclass(slots=True)
class TakeRecord:
    """One way of answering within a reply, heard or not. ``held_ms`` is how long it held cores."""

    path: Path
    marks: dict[str, float] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    prefill: Prefill | None = None
    generated: int = 0
    audio_s: float = 0.0
    held_ms: float = 0.0
    fault: str | None = None


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
    takes: dict[int, TakeRecord] = field(default_factory=dict)
    lead: int = 0  # the take that is heard, or will be as far as is known
    bridge: str | None = None  # the phrase that was handed over before the answer
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
    decisions: list[DecisionNote] = field(default_factory=list)
    best: Best | None = None  # as is known once it is over

    def follow(self, take: int) -> None:
        """The reply is ``take`` from now on, with its marks and words."""
        made = self.takes[take]
        self.lead = take
        self.marks = {name: at for name, at in self.marks.items() if name not in WAY_MARKS} | made.marks
        self.said, self.prefill = made.said, made.prefill
        self.name_path()

    def name_path(self) -> None:
        """A reply of the fast seat that was begun before the turn's end is a draft that was right."""
        made = self.takes.get(self.lead)
        if made is None:
            return
        started, ended = made.marks.get("reply_started"), self.marks.get("turn_end")
        ahead = started is not None and (ended is None or started < ended)
        self.path = "speculated" if made.path == "fast" and ahead else made.path


@dataclass(slots=True)
class Dropped:
    """A turn that was opened and held no words."""

    turn: int
    at_ms: float
    why: str


class Watcher(Protocol):
    """Who follows the records as they grow."""

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
        record.name_path()

    def take(self, reply: int, take: int, path: Path) -> None:
        """A way of answering is begun; the first one leads until another one does."""
        record = self.records.get(reply)
        if record is not None:
            record.takes[take] = TakeRecord(path)
            if len(record.takes) == 1:
                record.follow(take)

    def made(self, reply: int, *, take: int = 0, tokens: int = 0, audio_s: float = 0.0) -> None:
        """Something of a reply was made: tokens or audio."""
        record = self.records.get(reply)
        if record is None:
            return
        record.generated += tokens
        record.audio_s += audio_s
        if take in record.takes:
            record.takes[take].generated += tokens
            record.takes[take].audio_s += audio_s
        if not record.committed:
            record.generated_ahead += tokens
            record.audio_ahead_s += audio_s

    def mark(self, reply: int, name: str, at_ms: float, take: int | None = None) -> None:
        """Stamp ``name`` on a reply, or on one take of it, the first time only."""
        record = self.records.get(reply)
        if record is None or record.closed:
            self.stale += 1
            return
        if take is not None and take in record.takes:
            record.takes[take].marks.setdefault(name, at_ms)
        if take is None or take == record.lead:
            record.marks.setdefault(name, at_ms)
            record.name_path()

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
