"""Hearing: voice activity on every window, words while the caller speaks and whenever the caller pauses."""

from __future__ import annotations

import asyncio

import numpy as np
from pipecat.frames.frames import (
    Frame,
    InputAudioRawFrame,
    UserStartedSpeakingFrame,
    UserStoppedSpeakingFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from agent.audio_history import AudioHistory
from agent.caller_audio import CallerAudio
from agent.clock import now_ms
from agent.compute import Compute
from agent.frames import ReadFrame, TurnOpenedFrame, VoiceFrame
from agent.recorder import Recorder
from agent.transports.recording import DUE
from agent.turn_reader import WINDOW_MS, ReadingPlan, TurnReader
from stages.contract import RATE_HZ, WINDOW_SAMPLES, Audio, Recogniser, VoiceActivity
from stages.endpoint.voice_gate import VoiceGate, VoiceThresholds

STOPPED_MS = 1000.0
"""A stream that brings nothing for this long has stopped: the turn goes on in silence, so that it ends."""

FILL_MS = 100.0


class HearingProcessor(FrameProcessor):
    """Audio in; voice windows and words out."""

    def __init__(
        self,
        vad: VoiceActivity,
        recogniser: Recogniser,
        audio: AudioHistory,
        compute: Compute,
        recorder: Recorder,
        thresholds: VoiceThresholds,
        plan: ReadingPlan,
    ) -> None:
        super().__init__()
        self._vad, self._audio, self._recorder = vad, audio, recorder
        self._gate = VoiceGate(thresholds)
        self._caller = CallerAudio(recorder.failed)
        self._reader = TurnReader(
            recogniser, audio, compute, recorder, plan, self.push_frame, self.create_task
        )
        self._unseen = np.zeros(0, dtype=np.float32)
        self._position_ms = 0.0
        self._open = False  # a turn is
        self._came_ms = 0.0
        self._watch: asyncio.Task[None] | None = None

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Audio is consumed here; everything else passes."""
        await super().process_frame(frame, direction)
        if isinstance(frame, InputAudioRawFrame):
            await self._on_audio(frame)
        elif isinstance(frame, TurnOpenedFrame):
            self._reader.open(frame.turn, frame.start_ms)
        elif isinstance(frame, ReadFrame):
            self._reader.want(frame.turn, frame.covers_ms)
        else:
            if isinstance(frame, UserStartedSpeakingFrame | UserStoppedSpeakingFrame):
                self._on_turn(isinstance(frame, UserStartedSpeakingFrame))
            await self.push_frame(frame, direction)

    async def cleanup(self) -> None:
        """The call is over."""
        self._on_turn(False)
        if self._watch:
            await self.cancel_task(self._watch)
        await super().cleanup()  # type: ignore[no-untyped-call]

    def _on_turn(self, is_open: bool) -> None:
        """The caller's turn began, was taken up again, or is over."""
        self._open = is_open
        self._reader.listen(is_open)
        if is_open and (self._watch is None or self._watch.done()):
            self._watch = self.create_task(self._fill_when_stopped(), "stream-watch")

    async def _on_audio(self, frame: InputAudioRawFrame) -> None:
        self._came_ms = now_ms()
        due = frame.metadata.get(DUE)
        if due is not None:
            self._recorder.frame_lateness_ms.append(max(0.0, self._came_ms - due))
        await self._take(self._caller.push(frame))

    async def _take(self, samples: Audio) -> None:
        self._audio.append(samples)
        self._unseen = np.concatenate([self._unseen, samples])
        while len(self._unseen) >= WINDOW_SAMPLES:
            window, self._unseen = self._unseen[:WINDOW_SAMPLES], self._unseen[WINDOW_SAMPLES:]
            await self._on_window(window)

    async def _on_window(self, window: Audio) -> None:
        # 0.25 ms on one thread: quicker here than handed to another.
        probability = self._vad.probability(window)
        self._position_ms += WINDOW_MS
        voice = self._gate.push(window, probability)
        await self.push_frame(VoiceFrame(self._position_ms, probability, voice.voiced, voice.loud))
        self._reader.window(self._position_ms, voice.loud)

    async def _fill_when_stopped(self) -> None:
        """Silence in place of a stream that stopped in the middle of a turn, for as long as the turn is open."""
        told = False
        while self._open:
            await asyncio.sleep(FILL_MS / 1000.0)
            stopped_ms = now_ms() - self._came_ms
            if stopped_ms < STOPPED_MS:
                continue
            if not told:
                self._recorder.failed(f"the caller's audio stopped for {stopped_ms:.0f} ms: silence follows")
                told = True
            await self._take(np.zeros(round(FILL_MS * RATE_HZ / 1000.0), dtype=np.float32))
