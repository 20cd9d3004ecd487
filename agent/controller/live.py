"""One reply on the live path: its ways of answering, decided about again at each event until it is heard."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from pipecat.frames.frames import LLMFullResponseStartFrame

from agent.clock import now_ms, sleep_until_ms
from agent.compute import Priority
from agent.controller.desk import Desk
from agent.controller.mouth import Mouth, Push, Spawn
from agent.controller.note import note_of
from agent.controller.quality import kind_of
from agent.controller.way import SAFE_TAKE, LiveWay
from agent.frames import BRIDGE, ChosenFrame, ReplyFrame
from agent.recorder import DecisionNote, TakeRecord
from latency_budget.exchange import Path
from latency_budget.policy import TurnState
from latency_budget.steer import Moment, Orders, Way, steer
from stages.contract import Message

ALWAYS_NOTED = ("words", "turn end")
"""Events whose decision is kept also where it changed nothing."""


@dataclass
class LiveReply:
    """Steers one reply. Events come one after the other; orders are carried out in their order."""

    frame: ReplyFrame
    desk: Desk
    push: Push
    spawn: Spawn
    state: TurnState
    before: list[DecisionNote] = field(default_factory=list)
    over: bool = False
    over_ms: float = 0.0
    ways: list[LiveWay] = field(default_factory=list)
    _lead: int | None = None
    _timer: asyncio.Task[None] | None = None
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __post_init__(self) -> None:
        self.mouth = Mouth(self.frame.reply, self.desk, self.push, self.spawn, self.event)
        self.messages: list[Message] = list(self.frame.context.messages)  # type: ignore[arg-type]
        record = self.desk.recorder.records.get(self.frame.reply)
        if record is not None:
            record.decisions += self.before
        covers = now_ms() - self.desk.recorder.origin_ms if record is None else record.covers_ms
        self._end_ms = self.desk.recorder.origin_ms + covers
        text = self.messages[-1]["content"] if self.messages else ""
        self._kind = kind_of(text, history=any(one["role"] == "assistant" for one in self.messages))
        if self.frame.fixed:
            self.ways.append(
                LiveWay("cached", text=self.frame.fixed, answers=self.frame.answers, fit=self._fit())
            )
        if not self.frame.fixed or self.frame.answers:
            self.ways += self.desk.models(text)

    @property
    def reply(self) -> int:
        """Its number."""
        return self.frame.reply

    async def begin(self) -> None:
        """The words are there: start what the controller wants."""
        await self.push(LLMFullResponseStartFrame())
        await self.event("words")

    async def released(self) -> None:
        """The turn is over."""
        self.over, self.over_ms = True, now_ms()
        await self.event("turn end")

    async def took(self, take: int, state: str) -> None:
        """News of a take from speaking."""
        if state == "begun":
            await self._begun(take)
            return
        way = self._way_of(take)
        if way is None:
            return
        way.ready, way.failed = state == "ready", way.failed or state == "empty"
        await self.event("spoken" if state == "ready" else "not to be spoken")

    def busy(self, path: Path) -> bool:
        """Whether the seat of ``path`` writes for it."""
        return any(way.path == path and way.busy for way in self.ways)

    def stop(self) -> None:
        """The reply is no longer wanted."""
        self.mouth.ended = True
        if self._timer is not None:
            self._timer.cancel()
        for way in self.ways:
            way.stop()

    async def event(self, name: str) -> None:
        """Decide again, and do what follows."""
        async with self._turn:
            if self.mouth.ended or self.state.begun:
                return
            moment, before = self._moment(), self._chosen()
            self.state, orders = steer(
                self.state, moment, self.desk.forecaster.predictor, self.desk.forecaster.budget
            )
            if orders.start or orders.abort or name in ALWAYS_NOTED or self._chosen() != before:
                self._note(name, moment, orders)
            await self._obey(orders)

    def _chosen(self) -> str | None:
        choice = self.state.choice
        return None if choice is None or choice.option is None else choice.option.name

    # -- the moment ---------------------------------------------------------------------------------------------------

    def _fit(self) -> float | None:
        """A sentence that the agent has to say whatever was asked is right by itself."""
        return self.frame.fit if self.frame.answers else 1.0

    def _moment(self) -> Moment:
        now = now_ms()
        waited = max(0.0, now - self._end_ms)
        end = max(0.0, self.over_ms - self._end_ms) if self.over else max(self.frame.turn_end_ms, waited)
        ways = tuple(self._as_seen(way, now) for way in self.ways if not way.failed)
        bridge = None if self.state.bridged else self.desk.next_bridge(self.state.last_bridge)
        return Moment(waited, self.over, end, ways, bridge)

    def _as_seen(self, way: LiveWay, now: float) -> Way:
        made = self._made(way)
        candidate = self.desk.forecaster.candidate(way, made, self._path(way), now, self._kind)
        room = not way.cores or self.desk.compute.has_room(Priority.COUNCIL, way.cores)
        return Way(candidate, way.started, way.busy, way.ready, room)

    def _path(self, way: LiveWay) -> Path:
        """A draft of the fast seat is a path of its own: it was begun before the turn's end."""
        if way.path != "fast":
            return way.path
        made = self._made(way)
        begun = None if made is None else made.marks.get("reply_started")
        ahead = begun is not None and (not self.over or begun < self.over_ms)
        return "speculated" if ahead else "fast"

    def _made(self, way: LiveWay) -> TakeRecord | None:
        record = self.desk.recorder.records.get(self.reply)
        return None if record is None else record.takes.get(way.take)

    def _way_of(self, take: int) -> LiveWay | None:
        return next((way for way in self.ways if way.take == take), None)

    def _named(self, path: Path | None) -> LiveWay | None:
        return next((way for way in self.ways if not way.failed and self._path(way) == path), None)

    # -- what was ordered ---------------------------------------------------------------------------------------------

    async def _obey(self, orders: Orders) -> None:
        for way in [self._named(path) for path in orders.abort]:
            if way is not None:
                way.stop()
        for way in [self._named(path) for path in orders.start]:
            if way is not None:
                self.mouth.start(way, self.messages)
        lead = self._named(orders.lead)
        if lead is None and (orders.play or not self._open()):
            await self.mouth.safe()
        take = lead.take if lead is not None and lead.started else SAFE_TAKE if self.mouth.safe_said else None
        if take is not None:
            await self._follow(take, orders)
        if orders.bridge is not None:
            await self.mouth.bridge(orders.bridge)
        self._wake(orders.again_ms)

    def _open(self) -> bool:
        return any(not way.failed for way in self.ways)

    async def _follow(self, take: int, orders: Orders) -> None:
        """Have ``take`` heard; what was predicted of it when it was chosen is what it is judged by."""
        record = self.desk.recorder.records.get(self.reply)
        if record is not None and take in record.takes and take != record.lead:
            record.follow(take)
        option = orders.decision.choice.option
        if self.over and option is not None and (take != self._lead or orders.play):
            self.desk.forecaster.foretold(self.reply, option.content)
        self._lead = take
        await self.push(ChosenFrame(self.reply, take, orders.play or orders.bridge is not None))

    async def _begun(self, take: int) -> None:
        """Speaking handed something over: from here on the answer stands."""
        record = self.desk.recorder.records.get(self.reply)
        if take == BRIDGE:
            if record is not None:
                record.bridge = self.state.last_bridge
            return
        self.state = self.state.heard()
        if record is not None and take in record.takes and take != record.lead:
            record.follow(take)
        for way in self.ways:
            if way.take != take:
                way.stop()
        if self._timer is not None:
            self._timer.cancel()

    def _wake(self, after_ms: float | None) -> None:
        """Decide again when time alone may have changed something."""
        if self._timer is not None and self._timer is not asyncio.current_task():
            self._timer.cancel()
        self._timer = None
        if after_ms is not None and not self.state.begun:
            self._timer = self.spawn(self._wait(now_ms() + after_ms), f"again-{self.reply}")

    async def _wait(self, until_ms: float) -> None:
        await sleep_until_ms(until_ms)
        await self.event("deadline near")

    def _note(self, name: str, moment: Moment, orders: Orders) -> None:
        record = self.desk.recorder.records.get(self.reply)
        if record is not None:
            predictor = self.desk.forecaster.predictor
            record.decisions.append(note_of(name, moment, orders, predictor))
