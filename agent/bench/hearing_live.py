"""Hearing on the real pipeline in real time: partials, finals and CPU. A stand-in seat and voice answer at no cost."""

from __future__ import annotations

import asyncio
import time
from copy import copy
from dataclasses import dataclass, field, replace

from pipecat.frames.frames import UserStartedSpeakingFrame, UserStoppedSpeakingFrame
from pipecat.observers.base_observer import BaseObserver, FramePushed
from pipecat.workers.runner import WorkerRunner

from agent.app import Session
from agent.clock import now_ms
from agent.frames import HeardFrame, PartialFrame, VoiceFrame
from agent.playback import Playback
from agent.recorder import Recorder
from agent.transports.recording import RecordingTransport
from stages.contract import Audio
from stages.fakes import FakeSeat, FakeVoice

TAIL_S = 4.0
HIDDEN_MS = 10.0
"""A text that was there this long before its turn was ended was not what the end waited for."""


@dataclass(frozen=True, slots=True)
class Arrived:
    """A partial, and when it came: milliseconds since the audio began."""

    at_ms: float
    turn: int
    covers_ms: float
    stable: str
    open: str


@dataclass
class Live:
    """What one run gave. CPU is of the whole process: seconds used, and seconds that passed."""

    partials: list[Arrived] = field(default_factory=list)
    finals: list[tuple[int, float, float, str]] = field(default_factory=list)  # turn, covers, arrived, text
    ended: list[tuple[int, float, float, str]] = field(
        default_factory=list
    )  # turn, text there, turn end, text
    failures: list[str] = field(default_factory=list)
    dropped: int = 0
    speaking: list[float] = field(default_factory=lambda: [0.0, 0.0])
    idle: list[float] = field(default_factory=lambda: [0.0, 0.0])


class _Ear(BaseObserver):
    """Notes what hearing sends out, each frame once, and the CPU between two voice windows."""

    def __init__(self, live: Live, recorder: Recorder) -> None:
        super().__init__()
        self._live, self._recorder = live, recorder
        self._open = False
        self._last: tuple[float, float] | None = None

    async def on_push_frame(self, data: FramePushed) -> None:
        frame = data.frame
        if not data.first_push:
            return
        at = now_ms() - self._recorder.origin_ms
        if isinstance(frame, VoiceFrame):
            self._count()
        elif isinstance(frame, PartialFrame):
            self._live.partials.append(Arrived(at, frame.turn, frame.covers_ms, frame.stable, frame.open))
        elif isinstance(frame, HeardFrame):
            self._live.finals.append((frame.turn, frame.covers_ms, at, frame.text))
        elif isinstance(frame, UserStartedSpeakingFrame | UserStoppedSpeakingFrame):
            self._open = isinstance(frame, UserStartedSpeakingFrame)

    def _count(self) -> None:
        now = time.process_time(), time.perf_counter()
        if self._last is not None:
            side = self._live.speaking if self._open else self._live.idle
            side[0] += now[0] - self._last[0]
            side[1] += now[1] - self._last[1]
        self._last = now


async def listen(session: Session, caller: Audio) -> Live:
    """Feed ``caller`` (16 kHz) in real time; the turns are those that the agent's own turn taking makes."""
    deaf = copy(session)
    deaf.engines = replace(session.engines, seat=FakeSeat(["Yes."]), voice=FakeVoice(ms_per_char=10.0))
    playback = Playback(deaf.engines.voice.rate_hz, session.config.replay.device_latency_ms)
    recorder, live = Recorder(playback), Live()

    def origin(at_ms: float) -> None:
        recorder.origin_ms = at_ms

    transport = RecordingTransport(caller, playback, origin)
    call = deaf.call(transport, deaf.dialogue(), recorder)
    call.worker.add_observer(_Ear(live, recorder))
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(call.worker)
    running = asyncio.create_task(runner.run())
    await transport.input().recording_over.wait()
    await asyncio.sleep(TAIL_S)
    await call.worker.cancel()
    await running
    origin_ms = recorder.origin_ms
    live.ended = [
        (r.turn, r.marks["asr_final"] - origin_ms, r.marks["turn_end"] - origin_ms, r.heard)
        for r in recorder.records.values()
        if r.committed and "asr_final" in r.marks and "turn_end" in r.marks
    ]
    live.failures, live.dropped = recorder.failures, len(recorder.dropped)
    return live
