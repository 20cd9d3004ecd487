"""The output side that all transports share: follows what is written, and says when a reply becomes audible."""

from __future__ import annotations

import numpy as np
from pipecat.frames.frames import Frame, OutputAudioRawFrame, StartFrame
from pipecat.processors.frame_processor import FrameDirection
from pipecat.transports.base_output import BaseOutputTransport
from pipecat.transports.base_transport import TransportParams

from agent.clock import now_ms, sleep_until_ms
from agent.frames import (
    PieceAudioFrame,
    ReplyAudibleFrame,
    ReplyAudioEndFrame,
    ReplyCancelledFrame,
    ReplyPlayedFrame,
)
from agent.playback import Playback

INT16 = 32768.0
UNDERRUN_MS = 1.0


class FollowedOutput(BaseOutputTransport):
    """Notes each block as it is written. Subclasses pace the writing in :meth:`wait_for_room` and :meth:`put`."""

    def __init__(self, params: TransportParams, playback: Playback) -> None:
        super().__init__(params)
        self.playback = playback
        self._mid_reply = False

    async def wait_for_room(self, frame: OutputAudioRawFrame) -> None:
        """Return when the device can take the block."""
        raise NotImplementedError

    def put(self, frame: OutputAudioRawFrame) -> float:
        """Write one block; returns when its first sample leaves, in milliseconds."""
        raise NotImplementedError

    async def start(self, frame: StartFrame) -> None:
        """Open the output."""
        await super().start(frame)
        await self.set_transport_ready(frame)

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Stop a cancelled reply before anything else happens."""
        if isinstance(frame, ReplyCancelledFrame):
            self.playback.cancel(frame.reply)
            self._mid_reply = False
        await super().process_frame(frame, direction)

    async def write_transport_frame(self, frame: Frame) -> None:
        """Markers come here in the order of the audio, when all audio before them has been written."""
        if isinstance(frame, PieceAudioFrame):
            self.playback.begin_piece(frame.reply, frame.index, frame.text, frame.content)
        elif isinstance(frame, ReplyAudioEndFrame):
            self._mid_reply = False
            await self.push_frame(ReplyPlayedFrame(frame.reply), FrameDirection.UPSTREAM)

    async def write_audio_frame(self, frame: OutputAudioRawFrame) -> bool:
        """Write one block unless its reply was cancelled."""
        await self.wait_for_room(frame)
        if not self.playback.allows_writing():
            return False
        at_ms = self.put(frame)
        self._mid_reply = True
        block = np.frombuffer(frame.audio, dtype=np.int16).astype(np.float32) / INT16
        audible = self.playback.write(at_ms, block)
        if audible is not None:
            await self.push_frame(ReplyAudibleFrame(audible), FrameDirection.UPSTREAM)
        return True


class PacedOutput(FollowedOutput):
    """Takes as long as a sound card would, with one block in hand, as a blocking device write does."""

    def __init__(self, params: TransportParams, playback: Playback) -> None:
        super().__init__(params, playback)
        self._due_ms = 0.0  # when the block written last will have been played

    async def wait_for_room(self, frame: OutputAudioRawFrame) -> None:
        """One block is being played while the next one is handed over."""
        await sleep_until_ms(self._due_ms - _length_ms(frame))

    def put(self, frame: OutputAudioRawFrame) -> float:
        """Queue the block behind the one that plays."""
        now = now_ms()
        if self._mid_reply and now - self._due_ms > UNDERRUN_MS:
            self.playback.underrun()
        starts = max(now, self._due_ms)
        self._due_ms = starts + _length_ms(frame)
        return starts


def _length_ms(frame: OutputAudioRawFrame) -> float:
    return len(frame.audio) / 2 / frame.sample_rate * 1000.0
