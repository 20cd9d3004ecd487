"""Thinking: answers a committed turn by the way that the controller takes, piece by speakable piece."""

from __future__ import annotations

from collections.abc import Callable

from pipecat.frames.frames import Frame
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from agent.compute import Grant, Job, Priority
from agent.controller.desk import Desk
from agent.controller.live import LiveReply
from agent.controller.seats import SeatPlan
from agent.frames import (
    PartialFrame,
    PrefillFrame,
    ReplyCancelledFrame,
    ReplyFrame,
    ReplyReleasedFrame,
    TakeFrame,
)
from agent.recorder import DecisionNote
from latency_budget.policy import TurnState
from stages.contract import Message, Prefill, ReadsAlong


class CouncilProcessor(FrameProcessor):
    """Turns a :class:`ReplyFrame` into pieces of text, and says which take of them is heard."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._live: LiveReply | None = None
        self._state = TurnState()
        self._released = 0
        self._foreseen: list[DecisionNote] = []  # of the turn that the caller speaks
        self._prefill: Job[Prefill] | None = None
        self._council_reads: list[Job[None]] = []
        self._before: PrefillFrame | None = None  # the conversation before the turn that the caller speaks

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Answer, read ahead, read along, decide again, or stop; everything else passes."""
        await super().process_frame(frame, direction)
        if isinstance(frame, ReplyFrame):
            await self._answer(frame)
        elif isinstance(frame, ReplyReleasedFrame):
            self._released = max(self._released, frame.reply)
            if self._live is not None and self._live.reply == frame.reply:
                await self._live.released()
        elif isinstance(frame, TakeFrame):
            if self._live is not None and self._live.reply == frame.reply:
                await self._live.took(frame.take, frame.state)
        elif isinstance(frame, PrefillFrame):
            self._before, self._foreseen = frame, []
            self._read_ahead(_reading(self._desk.seat, frame.messages))
            if self._desk.council is not None and self._desk.foresee("").chosen == "accurate":
                history = [one for one in frame.messages if one["role"] != "system"]
                self._council_reads += self._desk.council.council.read_ahead(history)
        else:
            if isinstance(frame, PartialFrame):
                self._read_along(frame)
            if isinstance(frame, ReplyCancelledFrame) and self._live and frame.reply == self._live.reply:
                self._stop()
            await self.push_frame(frame, direction)

    async def _answer(self, frame: ReplyFrame) -> None:
        self._stop()
        self._live = live = LiveReply(
            frame, self._desk, self.push_frame, self.create_task, self._state, self._foreseen
        )
        if self._released >= frame.reply:
            await live.released()
        else:
            await live.begin()

    def _stop(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._state = self._live.state.next_turn()
            self._live = None
        if self._prefill is not None:
            self._prefill.abort()
        for job in self._council_reads:
            job.abort()
        self._prefill, self._council_reads = None, []

    def _read_ahead(self, read: Callable[[Grant], Prefill]) -> None:
        if self._live is not None and self._live.busy("fast"):
            return  # a reply is being made: its own prompt comes first
        if self._prefill is not None and not self._prefill.started:
            self._prefill.abort()  # what comes now holds all that it would have read
        plan = self._desk.seat
        self._prefill = self._desk.compute.submit(
            Priority.PREFILL, read, threads=plan.cores, resource=plan.name
        )

    def _read_along(self, frame: PartialFrame) -> None:
        """Read the words that will not change any more, as the beginning of what the caller is saying."""
        seat, before = self._desk.seat.seat, self._before
        if before is None or before.turn != frame.turn or not frame.stable:
            return
        messages = with_words(before.messages, frame.stable)
        foreseen = self._desk.foresee(frame.stable)
        if not self._foreseen or self._foreseen[-1].chosen != foreseen.chosen:
            self._foreseen.append(foreseen)
        if isinstance(seat, ReadsAlong):
            self._read_ahead(lambda grant: seat.read_along(messages, abort=grant.aborted))


def _reading(plan: SeatPlan, messages: list[Message]) -> Callable[[Grant], Prefill]:
    return lambda grant: plan.seat.prefill(messages, abort=grant.aborted)


def with_words(messages: list[Message], words: str) -> list[Message]:
    """The conversation with what the caller is saying now, joined as in :class:`agent.dialogue.Dialogue`."""
    last = messages[-1]
    if last["role"] != "user":
        return [*messages, {"role": "user", "content": words}]
    return [*messages[:-1], {"role": "user", "content": f"{last['content']} {words}"}]
