"""Likely replies on the live path."""

from __future__ import annotations

from pipecat.processors.aggregators.llm_context import LLMContext

from agent.frames import ReplyFrame
from agent.playback import Playback
from agent.prepare.match import Matcher
from agent.prepare.replies import find_replies
from agent.processors.likely import LikelyProcessor
from agent.recorder import Recorder, ReplyRecord
from stages.contract import Message

REPLIES = find_replies(None, "bank")
assert REPLIES is not None
MATCHER = Matcher(REPLIES)


def filled(chance: float, *lines: tuple[str, str]) -> tuple[str | None, ReplyRecord]:
    recorder = Recorder(Playback(16_000, 0.0))
    recorder.begin(ReplyRecord(1, 1, lines[-1][1], 0.0))
    messages: list[Message] = [{"role": role, "content": text} for role, text in lines]  # type: ignore[typeddict-item]
    frame = ReplyFrame(LLMContext(list(messages)), turn=1, reply=1)  # type: ignore[arg-type]
    LikelyProcessor(MATCHER, chance, recorder)._fill(frame)
    recorder.commit(1, 100.0, "over")
    return frame.fixed, recorder.records[1]


ASKED = ("assistant", "A card takes five days. Is there anything else I can help you with?")


def test_a_goodbye_needs_no_model() -> None:
    fixed, record = filled(0.55, ("system", "You are Robin."), ASKED, ("user", "No, thank you."))
    assert fixed == "Thank you for calling. Have a great day."
    assert record.path == "cached"


def test_a_question_is_left_to_the_model() -> None:
    fixed, record = filled(0.55, ASKED, ("user", "No, but what does a wire transfer cost?"))
    assert fixed is None
    assert record.path == "fast"


def test_what_is_not_sure_enough_is_left_to_the_model() -> None:
    assert filled(0.999, ASKED, ("user", "No, thank you."))[0] is None


def test_a_conversation_that_does_not_end_with_the_caller_is_left_alone() -> None:
    assert filled(0.1, ("user", "no thank you"), ASKED)[0] is None
