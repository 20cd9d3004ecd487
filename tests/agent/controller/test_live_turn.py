"""The controller on the whole pipeline, on virtual time: who is asked, who is heard, and when."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from agent.compute import Job, Priority
from agent.controller.forecaster import Forecaster
from agent.controller.quality import Quality
from agent.controller.seats import CouncilPlan
from agent.pipeline import Parts
from agent.prepare.phrases import Phrases
from latency_budget.config import BridgeConfig, BudgetConfig, PathQuality
from latency_budget.predictor import Predictor
from stages.contract import Message
from stages.council.deciding.candidate import Candidate, Decision
from stages.errors import EnvironmentFault
from tests.agent.test_pipeline import TAKES_MS, VOICE_HZ, Ran, caller, run

pytestmark = [pytest.mark.looptime]

NEVER = 1e9
SAFE = "I do not know that."
WORDS_MS, SPEECH_END_MS, OUTPUT_MS = (
    1780.0,
    1600.0,
    30.0,
)  # the voice is silent for 10 ms, the device takes 20
ONE_TURN = caller((320, 1600), total_ms=9000)


@dataclass
class Wise:
    """A council that answers after a while."""

    takes_ms: float
    asked: list[str] = field(default_factory=list)
    stopped: int = 0

    async def answer(
        self, question: str, history: Sequence[Message] = (), *, within_ms: float
    ) -> AsyncGenerator[Candidate]:
        self.asked.append(question)
        try:
            await asyncio.sleep(self.takes_ms / 1000.0)
            yield Candidate("We open at nine.")
        except (asyncio.CancelledError, GeneratorExit):
            self.stopped += 1
            raise

    def decide(self, question: str, history: Sequence[Message], candidates: Sequence[Candidate]) -> Decision:
        return Decision(candidates[0].text, 0, 1.0)

    def read_ahead(self, history: Sequence[Message] = ()) -> list[Job[None]]:
        return []


def settings(
    budget: BudgetConfig, wise: Wise | None = None, phrases: Sequence[tuple[str, float]] = ()
) -> Callable[[Parts], Parts]:
    """The parts with a budget, a council, and phrases of some length in seconds in memory."""
    known = Phrases(VOICE_HZ)
    for text, seconds in phrases:
        tone = 0.3 * np.sin(np.arange(int(seconds * VOICE_HZ)) * 0.1)
        known.add(text, tone.astype(np.float32))
    quality = Quality(PathQuality(cached=0.95, speculated=0.4, fast=0.4, accurate=0.8))
    return lambda parts: replace(
        parts,
        forecaster=Forecaster(Predictor(), budget, quality),
        council=None if wise is None else CouncilPlan(wise, 1),
        phrases=known if phrases else None,
        bridges=("One moment please.",),
    )


def said(ran: Ran) -> str:
    return " ".join(ran.replies[0].said)


async def test_with_time_to_spare_the_fast_seat_comes_first_and_gives_way_to_the_council() -> None:
    wise = Wise(700.0)
    ran = await run(ONE_TURN, change=settings(BudgetConfig(budget_ms=3000.0, give_up_ms=5000.0), wise))
    reply = ran.replies[0]
    assert (said(ran), reply.path) == ("We open at nine.", "accurate")
    # There is room: asked at the next look, 50 ms after the fast seat; then 700 ms and 60 ms to be spoken.
    assert ran.first_audio(1) == WORDS_MS + 50.0 + 700.0 + 60.0 + OUTPUT_MS
    assert [note.started for note in reply.decisions if note.started] == [("fast",), ("accurate",)]
    assert {made.path for made in reply.takes.values()} == {"fast", "accurate"}


async def test_a_tight_budget_asks_the_fast_seat_alone() -> None:
    wise = Wise(100.0)
    ran = await run(ONE_TURN, change=settings(BudgetConfig(budget_ms=500.0), wise))
    assert (said(ran), wise.asked) == ("You said hello", [])
    assert ran.first_audio(1) == 1990.0 + OUTPUT_MS


async def test_a_council_that_hangs_is_hedged_and_stopped() -> None:
    wise = Wise(NEVER)
    ran = await run(ONE_TURN, change=settings(BudgetConfig(budget_ms=1500.0), wise))
    heard = ran.first_audio(1)
    assert wise.asked == ["hello"]
    assert said(ran) == "You said hello"
    assert heard is not None
    assert heard - SPEECH_END_MS <= 1500.0 + OUTPUT_MS
    assert wise.stopped == 1


async def test_a_council_that_breaks_leaves_the_turn_to_the_fast_seat() -> None:
    class Broken(Wise):
        def decide(
            self, question: str, history: Sequence[Message], candidates: Sequence[Candidate]
        ) -> Decision:
            raise EnvironmentFault("council.broken", "The council broke.")

    ran = await run(ONE_TURN, change=settings(BudgetConfig(budget_ms=1500.0), Broken(50.0)))
    assert said(ran) == "You said hello"
    assert "The council broke." in ran.recorder.failures[0]


async def test_a_seat_that_hangs_gets_the_safe_sentence_at_the_deadline() -> None:
    takes = {**TAKES_MS, Priority.MODEL: NEVER}
    ran = await run(ONE_TURN, takes_ms=takes, change=settings(BudgetConfig(give_up_ms=2000.0)))
    assert said(ran) == SAFE
    heard = ran.first_audio(1)
    assert heard is not None
    assert heard - SPEECH_END_MS <= 2000.0 + 60.0 + OUTPUT_MS


async def test_a_voice_that_hangs_leaves_what_is_in_memory() -> None:
    takes = {**TAKES_MS, Priority.FIRST_SPEECH: NEVER, Priority.SPEECH: NEVER}
    ran = await run(ONE_TURN, takes_ms=takes, change=settings(BudgetConfig(), phrases=[(SAFE, 1.0)]))
    heard = ran.first_audio(1)
    assert said(ran) == SAFE
    assert heard is not None
    assert heard - SPEECH_END_MS <= 2000.0 + OUTPUT_MS


async def test_a_bridge_phrase_covers_a_late_answer_and_the_answer_follows_without_a_gap() -> None:
    budget = BudgetConfig(budget_ms=400.0, bridge=BridgeConfig(longest_delay_ms=500.0))
    change = settings(budget, Wise(700.0), phrases=[("One moment please.", 1.3)])
    ran = await run(ONE_TURN, change=change)
    reply = ran.replies[0]
    assert (said(ran), reply.bridge) == ("We open at nine.", "One moment please.")
    heard = ran.recorder.playback.of(1)
    assert heard.first_audio_ms is not None
    assert heard.first_content_ms is not None
    assert heard.first_audio_ms - ran.recorder.origin_ms == WORDS_MS + 20.0
    assert [piece.text for piece in heard.pieces] == ["One moment please.", "We open at nine."]
    assert len(heard.spans) == 1  # nowhere silent for longer than 60 ms


async def test_there_is_no_bridge_where_it_would_hold_the_answer_up() -> None:
    change = settings(BudgetConfig(budget_ms=500.0), phrases=[("One moment please.", 3.0)])
    ran = await run(ONE_TURN, change=change)
    assert ran.replies[0].bridge is None
    assert said(ran) == "You said hello"


async def test_a_reply_is_held_back_until_the_gap_is_kept() -> None:
    takes = {**TAKES_MS, Priority.MODEL: 0.0, Priority.FINAL_TEXT: 20.0, Priority.FIRST_SPEECH: 0.0}
    early = await run(ONE_TURN, takes_ms=takes, change=settings(BudgetConfig(min_gap_ms=0.0)))
    held = await run(ONE_TURN, takes_ms=takes, change=settings(BudgetConfig(min_gap_ms=200.0)))
    # The turn-end model answers at 1,730.
    assert early.first_audio(1) == 1730.0 + OUTPUT_MS
    assert held.first_audio(1) == SPEECH_END_MS + 200.0 + OUTPUT_MS


async def test_what_was_decided_stands_in_the_record() -> None:
    ran = await run(ONE_TURN, change=settings(BudgetConfig(budget_ms=500.0), Wise(100.0)))
    reply = ran.replies[0]
    events = [note.event for note in reply.decisions]
    assert events == ["turn end"]  # the turn was over as soon as its words were there
    assert set(reply.decisions[0].predicted_ms) == {"fast", "accurate"}
    assert reply.best is not None
    assert reply.best.path == reply.path
    assert reply.takes[0].held_ms >= 0.0
