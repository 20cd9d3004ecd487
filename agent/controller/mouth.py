"""What a reply says, piece by piece: a fixed sentence, a seat's text as it comes, the safe sentence, a bridge."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import aclosing
from typing import Any

from pipecat.frames.frames import Frame, LLMFullResponseEndFrame
from pipecat.utils.text.base_text_aggregator import TextType

from agent.clock import now_ms
from agent.controller.desk import Desk
from agent.controller.seats import CouncilPlan, SeatPlan, Writing
from agent.controller.way import SAFE_TAKE, LiveWay
from agent.frames import BRIDGE, PieceFrame
from agent.recorder import TakeRecord
from stages.contract import Message
from stages.errors import Aborted, StageError
from stages.tts.pieces import is_opener

Push = Callable[[Frame], Awaitable[None]]
Spawn = Callable[[Coroutine[Any, Any, None], str], "asyncio.Task[None]"]


class Mouth:
    """Pushes the pieces of one reply; ``event`` is told what has become of its ways."""

    def __init__(
        self, reply: int, desk: Desk, push: Push, spawn: Spawn, event: Callable[[str], Awaitable[None]]
    ) -> None:
        self.reply, self.desk, self.push, self.spawn, self.event = reply, desk, push, spawn, event
        self.ended = False
        self.safe_said = False

    def start(self, way: LiveWay, messages: list[Message]) -> None:
        """Begin ``way``."""
        way.started = True
        recorder = self.desk.recorder
        recorder.take(self.reply, way.take, way.path)
        recorder.mark(self.reply, "reply_started", now_ms(), way.take)
        if way.plan is None:
            self.spawn(self._say(way), f"say-{self.reply}")
            return
        if isinstance(way.plan, CouncilPlan):
            way.task = self.spawn(self._consult(way, way.plan, messages), f"consult-{self.reply}")
            return
        way.writing = Writing(way.plan, self.desk.compute, messages, self.desk.splitter())
        way.writing.on_start(lambda: recorder.mark(self.reply, "seat_started", now_ms(), way.take))
        self.spawn(self._write(way), f"write-{self.reply}-{way.path}")

    async def safe(self) -> None:
        """Nothing else can be said in time: the persona's safe sentence."""
        if self.safe_said:
            return
        self.safe_said = True
        recorder = self.desk.recorder
        recorder.take(self.reply, SAFE_TAKE, "cached")
        recorder.mark(self.reply, "reply_started", now_ms(), SAFE_TAKE)
        record = recorder.records.get(self.reply)
        if record is not None:
            record.takes[SAFE_TAKE].said.append(self.desk.safe_sentence)
        recorder.mark(self.reply, "reply_first_segment", now_ms(), SAFE_TAKE)
        await self._piece(SAFE_TAKE, 0, self.desk.safe_sentence, content=True)
        await self._piece(SAFE_TAKE, 1, "", content=False, last=True)

    async def bridge(self, phrase: str) -> None:
        """A few words before the answer."""
        await self._piece(BRIDGE, 0, phrase, content=False)

    async def _say(self, way: LiveWay) -> None:
        """A sentence as it is, in pieces as a model's would come: the first is short, and may be in memory."""
        splitter = self.desk.splitter()
        await self._emit(way, [*splitter.feed(way.text), *splitter.finish()])
        await self._finish(way)

    async def _consult(self, way: LiveWay, plan: CouncilPlan, messages: list[Message]) -> None:
        """Ask the council, and say what it decides on."""
        question, history = messages[-1]["content"], [one for one in messages[:-1] if one["role"] != "system"]
        begun, candidates = now_ms(), []
        within = self.desk.forecaster.budget.give_up_ms
        texts: list[str] = []
        try:
            async with aclosing(plan.council.answer(question, history, within_ms=within)) as answers:
                async for candidate in answers:
                    candidates.append(candidate)
            splitter = self.desk.splitter()
            text = plan.council.decide(question, history, candidates).text
            texts = [*splitter.feed(text), *splitter.finish()]
        except StageError as error:
            self.desk.recorder.failed(f"council: {error}")
        finally:
            way.done = True
            if (made := self._made(way)) is not None:
                made.held_ms = (now_ms() - begun) * plan.cores
        await self._emit(way, texts)
        await self.event("first piece")
        await self._finish(way)

    async def _write(self, way: LiveWay) -> None:
        """Pass a seat's text on in pieces as it comes."""
        assert way.writing is not None
        try:
            async for texts, tokens in way.writing.texts():
                self.desk.recorder.made(self.reply, take=way.take, tokens=tokens)
                fresh = way.count == 0 and bool(texts)
                await self._emit(way, texts)
                if fresh:
                    await self.event("first piece")
        except Aborted:
            self._close(way)
            return
        except StageError as error:
            self.desk.recorder.failed(f"seat {way.path}: {error}")
            await self._emit(way, way.writing.rest())
        self._close(way)
        await self._finish(way)

    def _close(self, way: LiveWay) -> None:
        """What the seat read and how long it was held."""
        way.done = True
        made, plan = self._made(way), way.plan
        if made is None or not isinstance(plan, SeatPlan):
            return
        made.prefill = plan.seat.last_prefill
        record = self.desk.recorder.records[self.reply]
        if record.lead == way.take:
            record.prefill = made.prefill
        begun = made.marks.get("seat_started")
        made.held_ms = 0.0 if begun is None else max(0.0, now_ms() - begun) * plan.cores
        read = made.prefill
        if not way.failed and read.prompt_tokens and not read.reused_tokens:
            self.desk.recorder.failed(
                f"council.no_reuse: seat {plan.name} read all {read.prompt_tokens} tokens of its prompt"
            )

    async def _finish(self, way: LiveWay) -> None:
        way.done = True
        if way.failed or self.ended:
            return
        if way.count == 0:
            way.failed = True
            await self.event("nothing to say")
            return
        await self._piece(way.take, way.count, "", content=False, last=True)
        await self.push(LLMFullResponseEndFrame())
        await self.event("done")

    async def _emit(self, way: LiveWay, texts: Sequence[str]) -> None:
        for text in (text.strip() for text in texts):
            if self.ended or way.failed:
                return
            made = self._made(way)
            if made is not None and text:
                self.desk.recorder.mark(self.reply, "reply_first_segment", now_ms(), way.take)
                made.said.append(text)
            content = way.answers and not is_opener(text)
            await self._piece(way.take, way.count, text, content=content)
            way.count += 1

    async def _piece(self, take: int, index: int, text: str, *, content: bool, last: bool = False) -> None:
        await self.push(
            PieceFrame(
                text, TextType.SENTENCE, reply=self.reply, take=take, index=index, content=content, last=last
            )
        )

    def _made(self, way: LiveWay) -> TakeRecord | None:
        record = self.desk.recorder.records.get(self.reply)
        return None if record is None else record.takes.get(way.take)
