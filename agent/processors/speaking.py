"""Speaking: each piece of text becomes audio, in order; the next one is made while the last one plays.

A reply may be spoken into memory before its turn is over, in several takes; the one that the council chose leaves when
it may be heard, and from then on stands.
"""

from __future__ import annotations

import asyncio

import numpy as np
from pipecat.frames.frames import Frame, TTSAudioRawFrame, TTSStartedFrame, TTSStoppedFrame
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from agent.clock import now_ms
from agent.compute import Compute, Priority
from agent.frames import (
    BRIDGE,
    ChosenFrame,
    PieceAudioFrame,
    PieceFrame,
    ReplyAudioEndFrame,
    ReplyCancelledFrame,
    ReplyReleasedFrame,
    TakeFrame,
)
from agent.prepare.phrases import Phrases
from agent.recorder import Recorder
from agent.takes import Slot, Takes
from agent.transports.output import INT16
from stages.contract import Audio, Voice
from stages.errors import Aborted, StageError

BLOCKS_10MS = 2
"""The output takes 20 ms at a time; pieces are filled up to whole blocks, so that a marker never splits one."""

_NOTHING: Audio = np.zeros(0, dtype=np.float32)


class SpeakingProcessor(FrameProcessor):
    """Pieces of text in, marked audio out."""

    def __init__(
        self,
        voice: Voice,
        compute: Compute,
        recorder: Recorder,
        threads: int,
        phrases: Phrases | None = None,
    ) -> None:
        super().__init__()
        self._phrases = phrases
        self._voice, self._compute, self._recorder, self._threads = voice, compute, recorder, threads
        self._block = voice.rate_hz // 100 * BLOCKS_10MS
        self._takes = Takes(0)
        self._cancelled = 0
        self._chosen = ChosenFrame(0, 0, False)  # the newest: it may come before the pieces
        self._news = asyncio.Event()  # for the one who plays
        self._text = asyncio.Event()  # for the one who speaks
        self._workers: list[asyncio.Task[None]] = []

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Speak pieces; play what was chosen; stop a cancelled reply; everything else passes."""
        await super().process_frame(frame, direction)
        if isinstance(frame, PieceFrame):
            await self._take(frame)
            return
        if isinstance(frame, ChosenFrame):
            self._choose(frame)
            return
        if isinstance(frame, ReplyReleasedFrame):
            self._choose(ChosenFrame(frame.reply, 0, True))
        if isinstance(frame, ReplyCancelledFrame):
            self._cancelled = max(self._cancelled, frame.reply)
            if frame.reply == self._takes.reply:
                await self._end_workers()
        await self.push_frame(frame, direction)

    async def cleanup(self) -> None:
        """End the workers."""
        await self._end_workers()
        await super().cleanup()  # type: ignore[no-untyped-call]

    async def _end_workers(self) -> None:
        for worker in self._workers:
            await self.cancel_task(worker)
        self._workers = []

    def _choose(self, frame: ChosenFrame) -> None:
        if frame.reply < self._chosen.reply:
            return
        self._chosen = frame
        if frame.reply == self._takes.reply:
            self._takes.choose(frame.take, play=frame.play)
            self._poke()

    def _poke(self) -> None:
        self._news.set()
        self._text.set()

    async def _take(self, frame: PieceFrame) -> None:
        if frame.reply <= self._cancelled:
            self._recorder.stale += 1
            return
        if frame.reply != self._takes.reply:
            await self._end_workers()
            self._takes, self._news, self._text = Takes(frame.reply), asyncio.Event(), asyncio.Event()
            if self._chosen.reply == frame.reply:
                self._takes.choose(self._chosen.take, play=self._chosen.play)
            self._workers = [
                self.create_task(self._speak(self._takes), f"speak-{frame.reply}"),
                self.create_task(self._play(self._takes), f"play-{frame.reply}"),
            ]
        slot = self._takes.add(frame)
        # What needs no voice is there at once, also while the voice hangs.
        if slot is not None and (ready := self._without_voice(frame.text)) is not None:
            await self._spoken(self._takes, slot, ready)
        self._poke()

    def _without_voice(self, text: str) -> Audio | None:
        if not text:
            return _NOTHING
        return None if self._phrases is None else self._phrases.get(text)

    async def _speak(self, takes: Takes) -> None:
        """Synthesise pieces as they come."""
        while True:
            slot = takes.next_slot()
            if slot is None:
                self._text.clear()
                await self._text.wait()
                continue
            slot.begun = True
            take = takes.of.get(slot.piece.take)
            first = take is None or not take.ready
            await self._spoken(takes, slot, await self._synthesise(slot.piece.text, first))

    async def _spoken(self, takes: Takes, slot: Slot, audio: Audio) -> None:
        """A piece's audio is there."""
        piece, take = slot.piece, takes.of.get(slot.piece.take)
        was_ready = take is not None and take.ready
        slot.audio = audio
        if len(audio):
            self._recorder.mark(piece.reply, "tts_first_chunk", now_ms(), piece.take)
            self._recorder.made(piece.reply, take=piece.take, audio_s=len(audio) / self._voice.rate_hz)
        self._poke()
        if take is not None and take.ready and not was_ready:
            await self.push_frame(TakeFrame(piece.reply, piece.take, "ready"), FrameDirection.UPSTREAM)
        elif take is not None and take.empty:
            await self.push_frame(TakeFrame(piece.reply, piece.take, "empty"), FrameDirection.UPSTREAM)

    async def _synthesise(self, text: str, first: bool) -> Audio:
        if (ready := self._without_voice(text)) is not None:
            return ready
        priority = Priority.FIRST_SPEECH if first else Priority.SPEECH
        try:
            return await self._compute.run(
                priority, lambda grant: self._voice.speak(text), threads=self._threads, resource="voice"
            )
        except Aborted:
            return _NOTHING
        except StageError as error:
            self._recorder.failed(f"speech: {error}")
            return _NOTHING

    async def _play(self, takes: Takes) -> None:
        """Hand on the bridge phrase, if there is one, and then the chosen take."""
        bridged = False
        while not takes.can_begin():
            ready = takes.play and takes.bridge is not None and takes.bridge.audio is not None
            if ready and not bridged and takes.bridge is not None and takes.bridge.audio is not None:
                bridged = True
                await self._begin(takes, BRIDGE)
                await self._hand_over(takes.bridge.piece, takes.bridge.audio)
                continue
            self._news.clear()
            await self._news.wait()
        takes.begun = takes.lead
        await self._begin(takes, takes.lead, started=bridged)
        slots, at = takes.of[takes.lead].slots, 0
        while True:
            while at >= len(slots) or slots[at].audio is None:
                self._news.clear()
                await self._news.wait()
            slot = slots[at]
            if slot.audio is not None and len(slot.audio):
                await self._hand_over(slot.piece, slot.audio)
            if slot.piece.last:
                break
            at += 1
        await self.push_frame(TTSStoppedFrame())
        await self.push_frame(ReplyAudioEndFrame(takes.reply))

    async def _begin(self, takes: Takes, take: int, *, started: bool = False) -> None:
        await self.push_frame(TakeFrame(takes.reply, take, "begun"), FrameDirection.UPSTREAM)
        if not started:
            await self.push_frame(TTSStartedFrame())

    async def _hand_over(self, piece: PieceFrame, audio: Audio) -> None:
        audio = np.pad(audio, (0, -len(audio) % self._block))
        await self.push_frame(PieceAudioFrame(piece.reply, piece.index, piece.text, piece.content))
        pcm = (np.clip(audio, -1.0, 1.0 - 1.0 / INT16) * INT16).astype(np.int16).tobytes()
        await self.push_frame(TTSAudioRawFrame(pcm, self._voice.rate_hz, 1))
