"""Speaking: each piece of text becomes audio, in order; the next one is made while the last one plays.

A reply may be spoken into memory before its turn is over; it leaves when it is released.
"""

from __future__ import annotations

import asyncio

import numpy as np
from pipecat.frames.frames import Frame, TTSAudioRawFrame, TTSStartedFrame, TTSStoppedFrame
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from agent.clock import now_ms
from agent.compute import Compute, Priority
from agent.frames import (
    PieceAudioFrame,
    PieceFrame,
    ReplyAudioEndFrame,
    ReplyCancelledFrame,
    ReplyReleasedFrame,
)
from agent.prepare.phrases import Phrases
from agent.recorder import Recorder
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
        self._reply = 0
        self._cancelled = 0
        self._released = 0
        self._release = asyncio.Event()
        self._pieces: asyncio.Queue[PieceFrame] = asyncio.Queue()
        self._worker: asyncio.Task[None] | None = None

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Speak pieces; stop a cancelled reply; everything else passes."""
        await super().process_frame(frame, direction)
        if isinstance(frame, PieceFrame):
            await self._take(frame)
            return
        if isinstance(frame, ReplyReleasedFrame):
            self._released = max(self._released, frame.reply)
            self._release.set()
        if isinstance(frame, ReplyCancelledFrame):
            self._cancelled = max(self._cancelled, frame.reply)
            if frame.reply == self._reply:
                await self._end_worker()
        await self.push_frame(frame, direction)

    async def cleanup(self) -> None:
        """End the worker."""
        await self._end_worker()
        await super().cleanup()  # type: ignore[no-untyped-call]

    async def _end_worker(self) -> None:
        if self._worker:
            await self.cancel_task(self._worker)
            self._worker = None

    async def _take(self, frame: PieceFrame) -> None:
        if frame.reply <= self._cancelled:
            self._recorder.stale += 1
            return
        if frame.reply != self._reply:
            await self._end_worker()
            self._reply = frame.reply
            self._pieces, self._release = asyncio.Queue(), asyncio.Event()
            if self._released >= frame.reply:
                self._release.set()
            self._worker = self.create_task(self._speak(self._pieces), f"speak-{frame.reply}")
        self._pieces.put_nowait(frame)

    async def _speak(self, pieces: asyncio.Queue[PieceFrame]) -> None:
        """Synthesise pieces as they come; hand them on once the reply is released."""
        ready: asyncio.Queue[tuple[PieceFrame, Audio]] = asyncio.Queue()
        playing = self.create_task(self._play(ready), f"play-{self._reply}")
        try:
            first, last = True, False
            while not last:
                piece = await pieces.get()
                audio = await self._synthesise(piece.text, first) if piece.text else _NOTHING
                if len(audio):
                    first = False
                    self._recorder.mark(piece.reply, "tts_first_chunk", now_ms())
                    self._recorder.made(piece.reply, audio_s=len(audio) / self._voice.rate_hz)
                ready.put_nowait((piece, audio))
                last = piece.last
            await playing
        finally:
            if not playing.done():
                await self.cancel_task(playing)

    async def _synthesise(self, text: str, first: bool) -> Audio:
        if self._phrases is not None and (ready := self._phrases.get(text)) is not None:
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

    async def _play(self, ready: asyncio.Queue[tuple[PieceFrame, Audio]]) -> None:
        await self._release.wait()
        await self.push_frame(TTSStartedFrame())
        last = False
        while not last:
            piece, audio = await ready.get()
            if len(audio):
                await self._hand_over(piece, audio)
            last = piece.last
        await self.push_frame(TTSStoppedFrame())
        await self.push_frame(ReplyAudioEndFrame(piece.reply))

    async def _hand_over(self, piece: PieceFrame, audio: Audio) -> None:
        audio = np.pad(audio, (0, -len(audio) % self._block))
        await self.push_frame(PieceAudioFrame(piece.reply, piece.index, piece.text, piece.content))
        pcm = (np.clip(audio, -1.0, 1.0 - 1.0 / INT16) * INT16).astype(np.int16).tobytes()
        await self.push_frame(TTSAudioRawFrame(pcm, self._voice.rate_hz, 1))
