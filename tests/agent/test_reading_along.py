"""The council reads what the caller is still saying, and says when it read everything anew."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from pipecat.frames.frames import Frame
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.tests.utils import SleepFrame, run_test

from agent.compute import Priority
from agent.controller.desk import Desk
from agent.controller.forecaster import Forecaster
from agent.controller.quality import Quality
from agent.controller.seats import SeatPlan
from agent.fakes import ScriptedCompute
from agent.frames import PartialFrame, PrefillFrame, ReplyFrame
from agent.playback import Playback
from agent.processors.council import CouncilProcessor, with_words
from agent.recorder import Recorder, ReplyRecord
from latency_budget.config import BudgetConfig, PathQuality
from latency_budget.predictor import Predictor
from stages.contract import Abort, Message, Prefill, never
from stages.fakes import FakeSeat
from stages.tts.pieces import PieceSplitter

pytestmark = [pytest.mark.looptime]

SYSTEM = Message(role="system", content="be brief")
ASKED = [SYSTEM, Message(role="user", content="when do you open")]


class Reader(FakeSeat):
    """Notes what was read along."""

    def __init__(self) -> None:
        super().__init__()
        self.along: list[str] = []

    def read_along(self, messages: Sequence[Message], *, abort: Abort = never) -> Prefill:
        self.along.append(messages[-1]["content"])
        return self.prefill(messages, abort=abort)


class Forgetful(FakeSeat):
    """Has nothing of any prompt."""

    @property
    def last_prefill(self) -> Prefill:
        return Prefill(120, 0)


async def run(seat: FakeSeat, *frames: Frame, takes_ms: float = 0.0) -> Recorder:
    recorder = Recorder(Playback(16_000, 20.0))
    recorder.begin(ReplyRecord(1, 1, "when do you open", 0.0))
    compute = ScriptedCompute({Priority.MODEL: 30.0, Priority.PREFILL: takes_ms})
    plan = SeatPlan("fast", seat, 1, 40, 0.0)
    caster = Forecaster(Predictor(), BudgetConfig(), Quality(PathQuality()))
    processor = CouncilProcessor(Desk(plan, compute, recorder, PieceSplitter, "I do not know that.", caster))
    await run_test(processor, frames_to_send=[*frames, SleepFrame(1.0)])
    compute.close()
    return recorder


def reply() -> ReplyFrame:
    return ReplyFrame(LLMContext(list(ASKED)), turn=1, reply=1)  # type: ignore[arg-type]


def partial(stable: str, turn: int = 1) -> PartialFrame:
    return PartialFrame(turn, 0.0, stable, "")


async def test_stable_words_are_read_while_the_caller_speaks() -> None:
    seat = Reader()
    await run(seat, PrefillFrame(1, [SYSTEM]), partial(""), partial("when do"), partial("when do you open"))
    assert seat.along == ["when do", "when do you open"]


async def test_words_of_another_turn_are_not_read() -> None:
    seat = Reader()
    await run(seat, partial("too early"), PrefillFrame(2, [SYSTEM]), partial("too late", turn=1))
    assert seat.along == []


async def test_a_seat_that_cannot_read_along_is_left_alone() -> None:
    seat = FakeSeat()
    await run(seat, PrefillFrame(1, [SYSTEM]), partial("when do"))
    assert seat.prompts == [[SYSTEM]]


async def test_a_seat_that_reuses_nothing_is_an_alarm() -> None:
    recorder = await run(Forgetful(), reply())
    assert recorder.failures == ["council.no_reuse: seat fast read all 120 tokens of its prompt"]


async def test_the_wait_for_the_cores_has_a_mark_of_its_own() -> None:
    marks = (await run(FakeSeat(), reply())).records[1].marks
    assert marks["seat_started"] - marks["reply_started"] == pytest.approx(30.0)


def test_new_words_join_what_the_caller_said_before() -> None:
    assert with_words([SYSTEM], "hello") == [SYSTEM, {"role": "user", "content": "hello"}]
    assert with_words(ASKED, "today")[-1]["content"] == "when do you open today"
