"""The loudspeaker as a pipecat output: what is heard, and when, is told by the card's own callback."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import numpy as np
from pipecat.frames.frames import (
    CancelFrame,
    Frame,
    OutputAudioRawFrame,
    StartFrame,
    UserStartedSpeakingFrame,
)
from pipecat.processors.frame_processor import FrameDirection
from pipecat.transports.base_output import BaseOutputTransport
from pipecat.transports.base_transport import TransportParams

from agent.frames import (
    PieceAudioFrame,
    ReplyAudibleFrame,
    ReplyAudioEndFrame,
    ReplyCancelledFrame,
    ReplyPlayedFrame,
)
from agent.playback import Playback
from agent.transports.output import INT16
from agent.transports.play_queue import Marker, Note, PlayQueue, Samples, Sound
from agent.transports.stream_clock import HostOffset, StreamClock
from stages.audio.resample import Resampler
from stages.contract import Audio

GREETING = 0
"""The number of what the agent says before any turn."""

AHEAD_MS = 200.0
"""Audio that is handed over ahead of time: a busy event loop starves no card. A cancel drops it unheard."""

Played = Callable[[float, Samples], None]


class Loudspeaker(BaseOutputTransport):
    """Plays replies. ``on_played`` gets every block with the time at which it sounds, at the device's rate."""

    def __init__(
        self, params: TransportParams, playback: Playback, voice_hz: int, fade_ms: float, on_played: Played
    ) -> None:
        super().__init__(params)
        self.playback, self._voice_hz, self._on_played = playback, voice_hz, on_played
        self.queue = PlayQueue(playback.rate_hz, fade_ms)
        self._resampler = Resampler(voice_hz, playback.rate_hz)
        self._reply = -1  # whose audio is being handed over
        self._greeting = False
        self._noted, self._room = asyncio.Event(), asyncio.Event()
        self._follow: asyncio.Task[None] | None = None

    async def start(self, frame: StartFrame) -> None:
        """Begin to follow what the card takes."""
        await super().start(frame)
        self._follow = self.create_task(self._follow_notes(), "loudspeaker-notes")
        await self.set_transport_ready(frame)

    async def cancel(self, frame: CancelFrame) -> None:
        """End at once."""
        await self._end()
        await super().cancel(frame)

    async def cleanup(self) -> None:
        """End what follows the card."""
        await self._end()
        await super().cleanup()  # type: ignore[no-untyped-call]

    async def _end(self) -> None:
        if self._follow:
            await self.cancel_task(self._follow)
            self._follow = None

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """A cancelled reply stops before anything else happens; so does the greeting when the caller speaks."""
        if isinstance(frame, ReplyCancelledFrame):
            self._drop(frame.reply)
        elif isinstance(frame, UserStartedSpeakingFrame) and self._greeting:
            self._drop(GREETING)
            self._greeting = False
        await super().process_frame(frame, direction)

    def _drop(self, reply: int) -> None:
        self.queue.cancel(reply)
        self.playback.cancel(reply)
        self._room.set()

    async def write_transport_frame(self, frame: Frame) -> None:
        """Markers keep their place between the samples."""
        if isinstance(frame, PieceAudioFrame):
            self._flush()
            self._reply = frame.reply
            self._greeting = self._greeting or frame.reply == GREETING
            self.queue.put(Marker(frame.reply, frame))
        elif isinstance(frame, ReplyAudioEndFrame):
            self._flush()
            self.queue.put(Marker(frame.reply, frame, ends=True))

    async def write_audio_frame(self, frame: OutputAudioRawFrame) -> bool:
        """Hand one block over unless its reply was cancelled."""
        while self.queue.waiting_ms > AHEAD_MS and not self.queue.is_cancelled(self._reply):
            self._room.clear()
            await self._room.wait()
        if self.queue.is_cancelled(self._reply):
            return False
        block = np.frombuffer(frame.audio, dtype=np.int16)
        if self._voice_hz != self.playback.rate_hz:
            block = _int16(self._resampler.push(block.astype(np.float32) / INT16))
        if len(block):
            self.queue.put(Sound(self._reply, block))
        return True

    def _flush(self) -> None:
        """The resampler gives what it holds back: a piece ends before the next one begins."""
        if self._voice_hz == self.playback.rate_hz:
            return
        rest = _int16(self._resampler.push(np.zeros(0, dtype=np.float32), last=True))
        self._resampler = Resampler(self._voice_hz, self.playback.rate_hz)
        if len(rest):
            self.queue.put(Sound(self._reply, rest))

    def notes_came(self) -> None:
        """The callback took something."""
        self._noted.set()
        self._room.set()

    async def _follow_notes(self) -> None:
        while True:
            await self._noted.wait()
            self._noted.clear()
            while self.queue.notes:
                await self._on_note(self.queue.notes.popleft())

    async def _on_note(self, note: Note) -> None:
        if isinstance(note, Sound):
            self._on_played(note.at_ms, note.samples)
            audible = self.playback.write(note.at_ms, note.samples.astype(np.float32) / np.float32(INT16))
            self.playback.written.clear()  # a conversation may last for hours; the recording keeps what was heard
            if audible is not None:
                await self.push_frame(ReplyAudibleFrame(audible), FrameDirection.UPSTREAM)
        elif isinstance(note, Marker):
            frame = note.frame
            if isinstance(frame, PieceAudioFrame):
                self.playback.begin_piece(frame.reply, frame.index, frame.text, frame.content)
            else:
                self._greeting = self._greeting and note.reply != GREETING
                await self.push_frame(ReplyPlayedFrame(note.reply), FrameDirection.UPSTREAM)
        else:
            self.playback.underrun()


class OutputCallback:
    """What the card calls for each block. Never waits, never logs, takes no lock."""

    def __init__(
        self, queue: PlayQueue, channels: int, clock: Callable[[], float], wake: Callable[[], None]
    ) -> None:
        self._queue, self._channels, self._clock, self._wake = queue, channels, clock, wake
        self._offset, self._stream = HostOffset(), StreamClock(queue.rate_hz)
        self._index = 0
        self.called_ms = 0.0
        self.underflows = 0
        self.buffer_ms = 0.0

    def __call__(self, out: Any, frames: int, times: Any, status: Any) -> None:
        """Fill ``out``."""
        now = self._clock()
        self.called_ms = now
        delay_ms = (times.outputBufferDacTime - times.currentTime) * 1000.0
        sounds = self._offset.to_ours(times.outputBufferDacTime * 1000.0, times.currentTime * 1000.0, now)
        if delay_ms <= 0.0:  # a host that does not tell
            sounds = now
        self.buffer_ms = sounds - now
        at_ms = self._stream.read(self._index, sounds)
        if status.output_underflow:
            self.underflows += 1
            self._queue.starved()
        block = self._queue.pull(frames, at_ms)
        self._index += frames
        out[:] = (block if self._channels == 1 else np.repeat(block, self._channels)).tobytes()
        if self._queue.notes:
            self._wake()


def _int16(block: Audio) -> Samples:
    return np.rint(np.clip(block, -1.0, 1.0) * 32_767).astype(np.int16)
