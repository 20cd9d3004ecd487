"""Follows the frames of a live call: turns for the report, words and states for the screen. Changes nothing."""

from __future__ import annotations

from pipecat.frames.frames import Frame
from pipecat.observers.base_observer import BaseObserver, FramePushed

from agent.frames import (
    HeardFrame,
    PartialFrame,
    ReplyAudibleFrame,
    ReplyCancelledFrame,
    ReplyPlayedFrame,
    ReplyReleasedFrame,
    TurnOpenedFrame,
    VoiceFrame,
)
from agent.recorder import Recorder
from agent.talk.turns import LiveTurns
from agent.talk.view import TalkView
from agent.turn_reader import WINDOW_MS

STATES: dict[type[Frame], str] = {
    TurnOpenedFrame: "hearing",
    ReplyReleasedFrame: "thinking",
    ReplyAudibleFrame: "speaking",
    ReplyPlayedFrame: "listening",
    ReplyCancelledFrame: "hearing",
}


class TalkObserver(BaseObserver):
    """Sees each frame once, a little late: for people and for the report, never for decisions."""

    def __init__(self, turns: LiveTurns, recorder: Recorder, view: TalkView) -> None:
        super().__init__(observe_every_push=False)
        self._turns, self._recorder, self._view = turns, recorder, view

    async def on_push_frame(self, data: FramePushed) -> None:
        """Note what the frame says."""
        frame = data.frame
        if isinstance(frame, VoiceFrame):
            self._turns.window(frame.position_ms, WINDOW_MS, frame.voiced)
        elif isinstance(frame, TurnOpenedFrame):
            self._turns.opened(frame.turn, frame.start_ms)
        elif isinstance(frame, PartialFrame):
            self._view.heard(f"{frame.stable} {frame.open}".strip(), final=False)
        elif isinstance(frame, HeardFrame) and frame.text:
            self._view.heard(frame.text, final=False)
        elif isinstance(frame, ReplyReleasedFrame) and frame.reply in self._recorder.records:
            self._view.heard(self._recorder.records[frame.reply].heard, final=True)
        state = STATES.get(type(frame))
        if state:
            self._view.state(state)
