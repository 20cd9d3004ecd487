"""Likely replies on the live path: where one is sure to fit the turn's words, it is said instead of asking a model."""

from __future__ import annotations

from pipecat.frames.frames import Frame
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from agent.frames import ReplyFrame
from agent.prepare.match import Matcher
from agent.recorder import Recorder


class LikelyProcessor(FrameProcessor):
    """Stands before the council and fills in the sentence of a reply that needs no model."""

    def __init__(self, matcher: Matcher, chance: float, recorder: Recorder) -> None:
        super().__init__()
        self._matcher, self._chance, self._recorder = matcher, chance, recorder

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Everything passes; a reply may get its sentence."""
        await super().process_frame(frame, direction)
        if isinstance(frame, ReplyFrame) and frame.fixed is None:
            self._fill(frame)
        await self.push_frame(frame, direction)

    def _fill(self, frame: ReplyFrame) -> None:
        said = [(str(one["role"]), str(one["content"])) for one in frame.context.messages]  # type: ignore[index]
        if not said or said[-1][0] != "user":
            return
        before = next((text for role, text in reversed(said) if role == "assistant"), "")
        template = self._matcher.sure(self._matcher.state_after(before), said[-1][1], self._chance)
        if template is None:
            return
        frame.fixed, frame.answers = template.text, True
        self._recorder.needs_no_model(frame.reply)
