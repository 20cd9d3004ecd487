"""A recorded call as a transport: the caller's channel comes in 20 ms frames at the pace of real time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import numpy as np
from pipecat.frames.frames import CancelFrame, EndFrame, InputAudioRawFrame, StartFrame
from pipecat.transports.base_input import BaseInputTransport
from pipecat.transports.base_transport import BaseTransport, TransportParams

from agent.clock import now_ms, sleep_until_ms
from agent.playback import Playback
from agent.transports.output import INT16, PacedOutput
from stages.contract import RATE_HZ, Audio

FRAME_MS = 20
DUE = "due_ms"
"""Key in a frame's metadata: when a sound card would have handed it over."""


class RecordedInput(BaseInputTransport):
    """Pushes the recording on an absolute monotonic schedule, then silence until ``may_end`` says so."""

    def __init__(self, params: TransportParams, caller: Audio, on_origin: Callable[[float], None]) -> None:
        super().__init__(params)
        self._caller = caller
        self._on_origin = on_origin
        self._feed: asyncio.Task[None] | None = None
        self.position_ms = 0.0
        self.recording_over = asyncio.Event()

    async def start(self, frame: StartFrame) -> None:
        """Begin to feed."""
        await super().start(frame)
        await self.set_transport_ready(frame)
        self._feed = self.create_task(self._feed_frames(), "recorded-input")

    async def stop(self, frame: EndFrame) -> None:
        """End the feed."""
        await self._end()
        await super().stop(frame)

    async def cancel(self, frame: CancelFrame) -> None:
        """End the feed at once."""
        await self._end()
        await super().cancel(frame)

    async def _end(self) -> None:
        if self._feed:
            await self.cancel_task(self._feed)
            self._feed = None

    async def _feed_frames(self) -> None:
        step = RATE_HZ * FRAME_MS // 1000
        origin = now_ms()
        self._on_origin(origin)
        k = 0
        while True:
            due = origin + (k + 1) * FRAME_MS  # a microphone hands a frame over when it is full
            await sleep_until_ms(due)
            block = self._caller[k * step : (k + 1) * step]
            if len(block) < step:
                self.recording_over.set()
                block = np.pad(block, (0, step - len(block)))
            frame = InputAudioRawFrame(_to_int16(block), RATE_HZ, 1)
            frame.metadata[DUE] = due
            await self.push_audio_frame(frame)
            k += 1
            self.position_ms = k * FRAME_MS


class RecordingTransport(BaseTransport):
    """A call that was recorded, and a loudspeaker that paces like one."""

    def __init__(self, caller: Audio, playback: Playback, on_origin: Callable[[float], None]) -> None:
        super().__init__()
        params = TransportParams(
            audio_in_enabled=True,
            audio_in_sample_rate=RATE_HZ,
            audio_out_enabled=True,
            audio_out_sample_rate=playback.rate_hz,
            audio_out_10ms_chunks=FRAME_MS // 10,
            audio_out_end_silence_secs=0,
        )
        self._input = RecordedInput(params, caller, on_origin)
        self._output = PacedOutput(params, playback)

    def input(self) -> RecordedInput:
        """The caller."""
        return self._input

    def output(self) -> PacedOutput:
        """The loudspeaker."""
        return self._output


def _to_int16(block: Audio) -> bytes:
    return (np.clip(block, -1.0, 1.0 - 1.0 / INT16) * INT16).astype(np.int16).tobytes()
