"""Replies that are there already, on the live path: one that is sure to fit is said instead of asking a model."""

from __future__ import annotations

from pipecat.frames.frames import Frame
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from agent.frames import ReplyFrame
from agent.prepare.ready import ReadyReplies
from stages.contract import Message


class ReadyProcessor(FrameProcessor):
    """Stands before the council and fills in the sentence of a reply that needs no model."""

    def __init__(self, ready: ReadyReplies) -> None:
        super().__init__()
        self._ready = ready

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Everything passes; a reply may get its sentence."""
        await super().process_frame(frame, direction)
        if isinstance(frame, ReplyFrame) and frame.fixed is None:
            self._fill(frame)
        await self.push_frame(frame, direction)

    def _fill(self, frame: ReplyFrame) -> None:
        lines: list[Message] = list(frame.context.messages)  # type: ignore[arg-type]
        if not lines or lines[-1]["role"] != "user":
            return
        found = self._ready.find(lines[-1]["content"], lines[:-1])
        if found is None:
            return
        frame.fixed, frame.answers, frame.fit = found.text, True, found.chance
