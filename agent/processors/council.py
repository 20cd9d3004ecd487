"""Thinking: answers a committed turn with the fast seat, piece by speakable piece."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from dataclasses import dataclass

from pipecat.frames.frames import Frame, LLMFullResponseEndFrame, LLMFullResponseStartFrame
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.utils.text.base_text_aggregator import TextType

from agent.clock import now_ms
from agent.compute import Compute, Grant, Job, Priority
from agent.frames import PartialFrame, PieceFrame, PrefillFrame, ReplyCancelledFrame, ReplyFrame
from agent.recorder import Recorder
from stages.contract import Message, Piece, Prefill, ReadsAlong, Seat
from stages.council.clean import ThinkingFilter
from stages.errors import Aborted, StageError
from stages.tts.pieces import PieceSplitter, is_opener

QUIET_S = 0.7
"""A seat that gives nothing for this long is not waited for with half a sentence in hand."""

_QUIET = Piece("", 0)


@dataclass(frozen=True, slots=True)
class SeatPlan:
    """One seat and how it is asked. ``name`` is also the resource that serialises its use."""

    name: str
    seat: Seat
    threads: int
    max_tokens: int
    temperature: float


class CouncilProcessor(FrameProcessor):
    """Turns a :class:`ReplyFrame` into pieces of text."""

    def __init__(
        self,
        plan: SeatPlan,
        compute: Compute,
        recorder: Recorder,
        splitter: Callable[[], PieceSplitter],
        safe_sentence: str,
    ) -> None:
        super().__init__()
        self._plan, self._compute, self._recorder = plan, compute, recorder
        self._splitter, self._safe = splitter, safe_sentence
        self._reply = 0
        self._job: Job[None] | None = None
        self._prefill: Job[Prefill] | None = None
        self._before: PrefillFrame | None = None  # the conversation before the turn that the caller speaks

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Answer, read ahead, read along, or stop; everything else passes."""
        await super().process_frame(frame, direction)
        if isinstance(frame, ReplyFrame):
            self._stop()
            self._reply = frame.reply
            self.create_task(self._answer(frame), f"reply-{frame.reply}")
        elif isinstance(frame, PrefillFrame):
            self._before = frame
            self._read_ahead(lambda grant: self._plan.seat.prefill(frame.messages, abort=grant.aborted))
        elif isinstance(frame, PartialFrame):
            self._read_along(frame)
            await self.push_frame(frame, direction)
        else:
            if isinstance(frame, ReplyCancelledFrame) and frame.reply == self._reply:
                self._stop()
                self._reply = 0
            await self.push_frame(frame, direction)

    def _stop(self) -> None:
        for job in (self._job, self._prefill):
            if job:
                job.abort()
        self._job = self._prefill = None

    def _read_ahead(self, read: Callable[[Grant], Prefill]) -> None:
        if self._job and not self._job.done.done():
            return  # a reply is being made: its own prompt comes first
        if self._prefill and not self._prefill.started:
            self._prefill.abort()  # what comes now holds all that it would have read
        self._prefill = self._compute.submit(
            Priority.PREFILL, read, threads=self._plan.threads, resource=self._plan.name
        )

    def _read_along(self, frame: PartialFrame) -> None:
        """Read the words that will not change any more, as the beginning of what the caller is saying."""
        seat, before = self._plan.seat, self._before
        if (
            before is None
            or before.turn != frame.turn
            or not frame.stable
            or not isinstance(seat, ReadsAlong)
        ):
            return
        messages = with_words(before.messages, frame.stable)
        self._read_ahead(lambda grant: seat.read_along(messages, abort=grant.aborted))

    async def _answer(self, frame: ReplyFrame) -> None:
        await self.push_frame(LLMFullResponseStartFrame())
        self._recorder.mark(frame.reply, "reply_started", now_ms())
        count = 0
        if frame.fixed:
            count = await self._say(frame.reply, frame.fixed, answers=frame.answers)
        else:
            count = await self._generate(frame)
        if self._reply != frame.reply:
            return
        if count == 0:
            await self._emit(frame.reply, 0, self._safe, content=True)
            count = 1
        await self._emit(frame.reply, count, "", content=False, last=True)
        await self.push_frame(LLMFullResponseEndFrame())

    async def _say(self, reply: int, text: str, *, answers: bool) -> int:
        """A sentence as it is, in pieces as a model's would come: the first is short, and may be in memory."""
        splitter = self._splitter()
        pieces = [*splitter.feed(text), *splitter.finish()]
        for index, piece in enumerate(pieces):
            await self._emit(reply, index, piece, content=answers and not is_opener(piece))
        return len(pieces)

    async def _generate(self, frame: ReplyFrame) -> int:
        """Run the seat and pass its text on in pieces as it comes; returns how many there were."""
        text: asyncio.Queue[Piece | None] = asyncio.Queue()
        self._job = job = self._ask(frame, text)
        splitter, thinking = self._splitter(), ThinkingFilter()
        count = tokens = 0
        while (piece := await _next(text)) is not None:
            tokens += piece.tokens
            self._recorder.made(frame.reply, tokens=piece.tokens)
            # A seat that went quiet in mid-sentence: what is there is said.
            ready = splitter.feed(thinking.feed(piece.text)) if piece is not _QUIET else splitter.flush()
            count = await self._emit_all(frame.reply, count, ready)
        if await self._finished(job, frame.reply):
            # A reply at its limit ends with its last whole clause or word.
            whole = tokens < self._plan.max_tokens
            rest = splitter.feed(thinking.finish()) + (splitter.finish() if whole else splitter.flush())
            count = await self._emit_all(frame.reply, count, rest)
        return count

    def _ask(self, frame: ReplyFrame, text: asyncio.Queue[Piece | None]) -> Job[None]:
        """Start the seat; its pieces, then None, come through ``text``."""
        loop = asyncio.get_running_loop()
        messages: list[Message] = list(frame.context.messages)  # type: ignore[arg-type]

        def started() -> None:
            self._recorder.mark(frame.reply, "seat_started", now_ms())

        def work(grant: Grant) -> None:
            loop.call_soon_threadsafe(started)
            self._run_seat(grant, messages, lambda piece: loop.call_soon_threadsafe(text.put_nowait, piece))

        job = self._compute.submit(Priority.MODEL, work, threads=self._plan.threads, resource=self._plan.name)
        job.done.add_done_callback(lambda _: text.put_nowait(None))
        return job

    def _run_seat(self, grant: Grant, messages: list[Message], put: Callable[[Piece], object]) -> None:
        plan = self._plan
        pieces = plan.seat.reply(
            messages, max_tokens=plan.max_tokens, temperature=plan.temperature, abort=grant.aborted
        )
        try:
            for piece in pieces:
                put(piece)
                grant.checkpoint()
        finally:
            # Closed here and now: an abort's traceback would keep the generator alive, and its clean-up would then
            # stop the seat in the middle of the next reply (seen: replies that ended after three words).
            if isinstance(pieces, Generator):
                pieces.close()

    async def _finished(self, job: Job[None], reply: int) -> bool:
        """Wait for the seat's end; False if it was aborted. A fault is recorded and what there is, is kept."""
        record = self._recorder.records.get(reply)
        try:
            await job.done
        except Aborted:
            return False
        except StageError as error:
            self._recorder.failed(f"seat {self._plan.name}: {error}")
        finally:
            if record:
                record.prefill = self._plan.seat.last_prefill
        if record and record.prefill and record.prefill.prompt_tokens and not record.prefill.reused_tokens:
            self._recorder.failed(
                f"council.no_reuse: seat {self._plan.name} read all {record.prefill.prompt_tokens} tokens of its prompt"
            )
        return True

    async def _emit_all(self, reply: int, count: int, texts: list[str]) -> int:
        for text in texts:
            await self._emit(reply, count, text, content=not is_opener(text))
            count += 1
        return count

    async def _emit(self, reply: int, index: int, text: str, *, content: bool, last: bool = False) -> None:
        if reply != self._reply:
            return
        text = text.strip()
        if text:
            self._recorder.mark(reply, "reply_first_segment", now_ms())
            record = self._recorder.records.get(reply)
            if record:
                record.said.append(text)
        await self.push_frame(
            PieceFrame(text, TextType.SENTENCE, reply=reply, index=index, content=content, last=last)
        )


def with_words(messages: list[Message], words: str) -> list[Message]:
    """The conversation with what the caller is saying now, joined as in :class:`agent.dialogue.Dialogue`."""
    last = messages[-1]
    if last["role"] != "user":
        return [*messages, {"role": "user", "content": words}]
    return [*messages[:-1], {"role": "user", "content": f"{last['content']} {words}"}]


async def _next(text: asyncio.Queue[Piece | None]) -> Piece | None:
    """The next piece; ``_QUIET`` when none came for a while; None at the end."""
    try:
        return await asyncio.wait_for(text.get(), QUIET_S)
    except TimeoutError:
        return _QUIET
