"""The microphone as a pipecat input: an unbroken stream of 16 kHz frames, whatever the device does."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from pipecat.frames.frames import CancelFrame, EndFrame, InputAudioRawFrame, StartFrame
from pipecat.transports.base_input import BaseInputTransport
from pipecat.transports.base_transport import TransportParams

from agent.clock import now_ms
from agent.transports.echo import EchoGuard
from agent.transports.output import INT16
from agent.transports.play_queue import Samples
from agent.transports.played import PlayedReference
from agent.transports.recording import DUE
from agent.transports.stream_clock import JUMP_MS, HostOffset, StreamClock
from stages.audio.resample import Resampler
from stages.contract import RATE_HZ

FRAME = RATE_HZ // 50
"""Samples in a frame: 20 ms."""

SILENT_MS = 150.0
"""A device that hands nothing over for this long is not waited for: silence goes on in its place."""

Heard = Callable[[float, Samples], None]


@dataclass(frozen=True, slots=True)
class Block:
    """What the card handed over: interleaved int16, when its first sample was recorded, when it came."""

    data: bytes
    at_ms: float
    came_ms: float


class InputCallback:
    """What the card calls for each block: copies it and wakes the loop. Never waits, never logs, takes no lock."""

    def __init__(self, clock: Callable[[], float], wake: Callable[[], None]) -> None:
        self._clock, self._wake = clock, wake
        self._offset = HostOffset()
        self.blocks: deque[Block] = deque()
        self.called_ms = 0.0
        self.overflows = 0
        self.rate_hz = RATE_HZ

    def __call__(self, data: Any, frames: int, times: Any, status: Any) -> None:
        """Take ``data``."""
        now = self._clock()
        self.called_ms = now
        recorded = self._offset.to_ours(times.inputBufferAdcTime * 1000.0, times.currentTime * 1000.0, now)
        if times.inputBufferAdcTime <= 0.0:  # a host that does not tell
            recorded = now - frames * 1000.0 / self.rate_hz
        if status.input_overflow:
            self.overflows += 1
        self.blocks.append(Block(bytes(data), recorded, now))
        self._wake()


class Microphone(BaseInputTransport):
    """Pushes frames; ``on_origin`` learns where on the clock the stream's first sample lies, again and again."""

    def __init__(
        self,
        params: TransportParams,
        guard: EchoGuard,
        reference: PlayedReference,
        on_origin: Callable[[float], None],
        on_heard: Heard,
    ) -> None:
        super().__init__(params)
        self._guard, self._reference = guard, reference
        self._on_origin, self._on_heard = on_origin, on_heard
        self._came = asyncio.Event()
        self._blocks: deque[Block] = deque()
        self._channels = 1
        self._resampler = Resampler(RATE_HZ, RATE_HZ)
        self._clock = StreamClock(RATE_HZ)
        self._taken = 0  # samples of the stream so far, pushed or not
        self._rest: Samples = np.zeros(0, dtype=np.int16)
        self._feed: asyncio.Task[None] | None = None
        self.lost_ms = 0.0

    @property
    def position_ms(self) -> float:
        """How much was heard."""
        return self._taken * 1000.0 / RATE_HZ

    def listen_to(self, callback: InputCallback, rate_hz: int, channels: int) -> None:
        """A device was opened: its blocks are the stream from here on."""
        callback.rate_hz = rate_hz
        self._blocks, self._channels = callback.blocks, channels
        self._resampler = Resampler(rate_hz, RATE_HZ)

    def blocks_came(self) -> None:
        """The callback handed something over."""
        self._came.set()

    async def start(self, frame: StartFrame) -> None:
        """Begin to feed."""
        await super().start(frame)
        await self.set_transport_ready(frame)
        self._feed = self.create_task(self._feed_frames(), "microphone")

    async def stop(self, frame: EndFrame) -> None:
        """End the feed."""
        await self._end()
        await super().stop(frame)

    async def cancel(self, frame: CancelFrame) -> None:
        """End the feed at once."""
        await self._end()
        await super().cancel(frame)

    async def cleanup(self) -> None:
        """End the feed."""
        await self._end()
        await super().cleanup()  # type: ignore[no-untyped-call]

    async def _end(self) -> None:
        if self._feed:
            await self.cancel_task(self._feed)
            self._feed = None

    async def _feed_frames(self) -> None:
        while True:
            try:
                await asyncio.wait_for(self._came.wait(), SILENT_MS / 1000.0)
            except TimeoutError:
                if self._clock.base_ms is not None:
                    await self._fill_to(now_ms() - SILENT_MS)
                continue
            self._came.clear()
            while self._blocks:
                await self._take(self._blocks.popleft())

    async def _take(self, block: Block) -> None:
        samples = self._mono(block.data)
        if self._clock.base_ms is not None:
            due_ms = self._clock.at(self._taken)
            if block.at_ms - due_ms > JUMP_MS:
                await self._fill_to(block.at_ms)
            elif due_ms - block.at_ms > JUMP_MS:
                # Silence stood in for this already.
                samples = samples[round((due_ms - block.at_ms) * RATE_HZ / 1000.0) :]
                await self._push(samples, block.came_ms)
                return
        self._clock.read(self._taken, block.at_ms)
        assert self._clock.base_ms is not None
        self._on_origin(self._clock.base_ms)
        await self._push(samples, block.came_ms)

    async def _fill_to(self, at_ms: float) -> None:
        """Silence where the device gave nothing: positions in the stream are the time that turn taking knows."""
        missing = round((at_ms - self._clock.at(self._taken)) * RATE_HZ / 1000.0)
        if missing > 0:
            self.lost_ms += missing * 1000.0 / RATE_HZ
            await self._push(np.zeros(missing, dtype=np.int16), now_ms())

    def _mono(self, data: bytes) -> Samples:
        samples = np.frombuffer(data, dtype=np.int16)
        if self._channels == 1 and self._resampler.from_hz == RATE_HZ:
            return samples
        mixed = samples.reshape(-1, self._channels).mean(axis=1, dtype=np.float32) / np.float32(INT16)
        at_rate = self._resampler.push(mixed)
        return np.rint(np.clip(at_rate, -1.0, 1.0) * 32_767).astype(np.int16)

    async def _push(self, samples: Samples, came_ms: float) -> None:
        """Pass whole frames on, free of echo; a rest waits for the next block."""
        self._taken += len(samples)
        self._rest = np.concatenate([self._rest, samples])
        while len(self._rest) >= FRAME:
            block, self._rest = self._rest[:FRAME], self._rest[FRAME:]
            at_ms = self._clock.at(self._taken - len(self._rest) - FRAME)
            clean = self._guard.clean(at_ms, block, self._reference)
            self._on_heard(at_ms, clean)
            frame = InputAudioRawFrame(clean.tobytes(), RATE_HZ, 1)
            frame.metadata[DUE] = came_ms
            await self.push_audio_frame(frame)
