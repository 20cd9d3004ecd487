"""One live call: the pipeline on the sound card, followed turn by turn until somebody ends it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from pipecat.frames.frames import Frame, TTSAudioRawFrame
from pipecat.workers.runner import WorkerRunner

from agent.app import Session
from agent.audio_history import AudioHistory
from agent.clock import now_ms, unix_ms
from agent.compute import Priority
from agent.frames import PieceAudioFrame, ReplyAudioEndFrame
from agent.pipeline import Call
from agent.recorder import Recorder
from agent.replay.live import LiveRows
from agent.report.schema import Turn, UnmatchedRow
from agent.talk.observer import TalkObserver
from agent.talk.recording import CallRecording
from agent.talk.turns import LiveTurns
from agent.talk.view import TalkView
from agent.transports.echo import EchoGuard
from agent.transports.loudspeaker import GREETING
from agent.transports.microphone import Devices, Ears, MicrophoneTransport
from agent.transports.output import INT16
from agent.transports.play_queue import Samples
from agent.transports.sound_card import SoundCard
from stages.audio.write import to_int16

TICK_S = 0.1
HELD_S = 120.0


@dataclass(frozen=True)
class TalkResult:
    """What a live call gave besides its rows."""

    name: str
    recorder: Recorder
    turns: LiveTurns
    unmatched: list[UnmatchedRow]
    seconds: float
    underflows: int
    overflows: int


class LiveCall:
    """A call in the making. ``recording`` is None where nothing is to be kept."""

    def __init__(
        self,
        session: Session,
        card: SoundCard,
        devices: Devices,
        guard: EchoGuard,
        view: TalkView,
        recording: CallRecording | None,
        on_row: Callable[[Turn], None],
        name: str,
    ) -> None:
        self._session, self._view, self._recording, self._name = session, view, recording, name
        config = session.config
        self._history = AudioHistory(HELD_S)
        self._turns = LiveTurns(self._history.slice)
        ears = Ears(self._heard, self._played, view.say)
        voice_hz = session.engines.voice.rate_hz
        self.transport = MicrophoneTransport(
            card, devices, guard, voice_hz, config.talk.fade_ms, self._origin, ears
        )
        self._recorder = Recorder(self.transport.playback)

        def written(row: Turn) -> None:
            on_row(row)
            session.telemetry.turn(row, unix_ms(self._recorder.origin_ms))

        self._rows = LiveRows(name, self._turns.turns, self._recorder, config.budget, written)
        self._said: tuple[int, int] = (-1, 0)  # the reply that is heard, and its pieces that were shown

    async def run(self, stop: asyncio.Event) -> TalkResult:
        """Talk until ``stop`` is set. Raises AgentError if a device cannot be opened."""
        dialogue = self._session.dialogue()
        persona = self._session.loaded.persona
        greeting = await self._greeting() if self._session.config.talk.greet else []
        call = self._session.call(self.transport, dialogue, self._recorder)
        call.worker.add_observer(TalkObserver(self._turns, self._recorder, self._view))
        if greeting:
            dialogue.agent(GREETING, 0.0, persona.greeting)
        runner = WorkerRunner(handle_sigint=False)
        await runner.add_workers(call.worker)
        self.transport.open()
        watching = asyncio.create_task(self.transport.watch())
        running = asyncio.create_task(runner.run())
        try:
            await call.worker.queue_frames(greeting)
            await self._follow(call, stop, running)
        finally:
            watching.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await watching
            await call.worker.cancel()
            await running
            self.transport.close()
        return self._result()

    async def _greeting(self) -> list[Frame]:
        """The persona's first sentence as marked audio, made before the devices are opened."""
        voice = self._session.engines.voice
        text = self._session.loaded.persona.greeting
        audio = await self._session.compute.run(
            Priority.SPEECH, lambda grant: voice.speak(text), resource="voice"
        )
        block = voice.rate_hz // 50
        whole = to_int16(np.pad(audio, (0, -len(audio) % block)))
        return [
            PieceAudioFrame(GREETING, 0, text, True),
            TTSAudioRawFrame(whole.tobytes(), voice.rate_hz, 1),
            ReplyAudioEndFrame(GREETING),
        ]

    async def _follow(self, call: Call, stop: asyncio.Event, running: asyncio.Task[None]) -> None:
        while not (stop.is_set() or running.done()):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), TICK_S)
            self._turns.settle(self._recorder.records.values(), idle=call.turns.idle)
            self._rows.update(self.transport.input().position_ms)
            self._show_said()

    def _result(self) -> TalkResult:
        self._recorder.close_all(now_ms())
        self._turns.settle(self._recorder.records.values(), idle=True)
        unmatched = self._rows.finish()
        self._session.telemetry.over(self._name, unmatched)
        seconds = self.transport.input().position_ms / 1000.0
        transport = self.transport
        return TalkResult(
            self._name,
            self._recorder,
            self._turns,
            unmatched,
            seconds,
            transport.underflows,
            transport.overflows,
        )

    def _show_said(self) -> None:
        playback = self.transport.playback
        newest = max([GREETING, *self._recorder.records])
        for reply in range(max(0, self._said[0]), newest + 1):
            pieces = [piece for piece in playback.of(reply).pieces if piece.first_ms is not None]
            shown = self._said[1] if reply == self._said[0] else 0
            for piece in pieces[shown:]:
                self._view.said(piece.text)
            if pieces:
                self._said = (reply, len(pieces))

    def _origin(self, at_ms: float) -> None:
        self._recorder.origin_ms = at_ms

    def _heard(self, at_ms: float, block: Samples) -> None:
        samples = block.astype(np.float32) / np.float32(INT16)
        self._history.append(samples)
        self._view.level(_dbfs(samples))
        if self._recording:
            self._recording.caller(block)

    def _played(self, at_ms: float, block: Samples) -> None:
        if self._recording:
            self._recording.agent(at_ms - self._recorder.origin_ms, block)


def _dbfs(samples: np.ndarray[tuple[int], np.dtype[np.float32]]) -> float:
    power = float(np.mean(np.square(samples))) if len(samples) else 0.0
    return 10.0 * float(np.log10(power)) if power > 0.0 else -120.0
