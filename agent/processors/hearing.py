"""Hearing: voice activity on every window, and the words of a turn whenever the caller pauses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from pipecat.frames.frames import Frame, InputAudioRawFrame
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from agent.audio_history import AudioHistory
from agent.clock import now_ms
from agent.compute import Compute, Job, Priority
from agent.frames import HeardFrame, ReadFrame, TurnOpenedFrame, VoiceFrame
from agent.reading import Reading, Stretch
from agent.recorder import Recorder
from agent.transports.output import INT16
from agent.transports.recording import DUE
from stages.audio.dc import DcBlocker
from stages.contract import RATE_HZ, WINDOW_SAMPLES, Recogniser, Transcript, VoiceActivity
from stages.errors import Aborted, StageError

WINDOW_MS = WINDOW_SAMPLES * 1000.0 / RATE_HZ


@dataclass(frozen=True, slots=True)
class VoiceThresholds:
    """Probability at which voice begins, and below which it ends (lower, so that a faint vowel does not break it)."""

    begin: float
    end: float


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
        threads: int,
    ) -> None:
        super().__init__()
        self._vad, self._recogniser, self._audio = vad, recogniser, audio
        self._compute, self._recorder = compute, recorder
        self._thresholds, self._threads = thresholds, threads
        self._dc = DcBlocker(RATE_HZ)
        self._unseen = np.zeros(0, dtype=np.float32)
        self._position_ms = 0.0
        self._voiced = False
        self._reading: Reading | None = None
        self._job: Job[Transcript] | None = None

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Audio is consumed here; everything else passes."""
        await super().process_frame(frame, direction)
        if isinstance(frame, InputAudioRawFrame):
            await self._on_audio(frame)
        elif isinstance(frame, TurnOpenedFrame):
            self._reading = Reading.of_turn(frame.turn, frame.start_ms)
        elif isinstance(frame, ReadFrame):
            self._on_read(frame)
        else:
            await self.push_frame(frame, direction)

    async def _on_audio(self, frame: InputAudioRawFrame) -> None:
        due = frame.metadata.get(DUE)
        if due is not None:
            self._recorder.frame_lateness_ms.append(max(0.0, now_ms() - due))
        samples = np.frombuffer(frame.audio, dtype=np.int16).astype(np.float32) / np.float32(INT16)
        samples = self._dc.push(samples)
        self._audio.append(samples)
        self._unseen = np.concatenate([self._unseen, samples])
        while len(self._unseen) >= WINDOW_SAMPLES:
            window, self._unseen = self._unseen[:WINDOW_SAMPLES], self._unseen[WINDOW_SAMPLES:]
            await self._on_window(window)

    async def _on_window(self, window: np.ndarray[tuple[int], np.dtype[np.float32]]) -> None:
        # 0.25 ms on one thread: quicker here than handed to another.
        probability = self._vad.probability(window)
        self._position_ms += WINDOW_MS
        threshold = self._thresholds.end if self._voiced else self._thresholds.begin
        self._voiced = probability >= threshold
        await self.push_frame(VoiceFrame(self._position_ms, probability, self._voiced))
        if self._reading and self._job is None and self._voiced and self._reading.overdue(self._position_ms):
            self._start(self._reading.turn, self._position_ms)

    def _on_read(self, frame: ReadFrame) -> None:
        if self._reading is None or frame.turn != self._reading.turn:
            self._recorder.stale += 1
            return
        if self._job:
            self._job.abort()  # the caller went on: that read no longer covers the turn
        self._start(frame.turn, frame.covers_ms)

    def _start(self, turn: int, covers_ms: float) -> None:
        assert self._reading is not None
        self._reading, stretch = self._reading.next_stretch(covers_ms, self._audio.end_ms)
        audio = self._audio.slice(stretch.start_ms, stretch.end_ms)
        job = self._compute.submit(
            Priority.FINAL_TEXT,
            lambda grant: self._recogniser.transcribe(audio, abort=grant.aborted),
            threads=self._threads,
            resource="asr",
        )
        self._job = job
        self.create_task(self._finish(job, stretch, covers_ms, turn), f"read-{turn}")

    async def _finish(self, job: Job[Transcript], stretch: Stretch, covers_ms: float, turn: int) -> None:
        try:
            transcript = await job.done
        except Aborted:
            return
        except StageError as error:
            self._recorder.failed(f"recognition: {error}")
            transcript = Transcript("", rejected=None)
        finally:
            if self._job is job:
                self._job = None
        if self._reading is None or self._reading.turn != turn:
            self._recorder.stale += 1
            return
        self._reading = self._reading.read(stretch, transcript.text)
        text = self._reading.text
        rejected = transcript.rejected if not text else None
        await self.push_frame(HeardFrame(turn, covers_ms, text, rejected))
