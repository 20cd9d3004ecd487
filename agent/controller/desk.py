"""What replies are made with: the engines and settings of one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from agent.compute import Compute
from agent.controller.forecaster import Forecaster
from agent.controller.note import note_of
from agent.controller.quality import kind_of
from agent.controller.seats import CouncilPlan, SeatPlan
from agent.controller.way import LiveWay
from agent.prepare.phrases import Phrases
from agent.recorder import DecisionNote, Recorder
from latency_budget.policy import TurnState, next_bridge
from latency_budget.steer import Moment, Way, steer
from stages.tts.pieces import PieceSplitter


@dataclass(frozen=True)
class Desk:
    """What a reply is made with: engines and settings of the call.

    Attributes:
        seat: the fast one, on which everything falls back.
        council: the accurate path, where there is one.
        bridges: phrases that cover a late answer; only those in memory are said.
    """

    seat: SeatPlan
    compute: Compute
    recorder: Recorder
    splitter: Callable[[], PieceSplitter]
    safe_sentence: str
    forecaster: Forecaster
    phrases: Phrases | None = None
    bridges: Sequence[str] = ()
    voice_hz: int = 16_000
    council: CouncilPlan | None = None

    def models(self, words: str) -> list[LiveWay]:
        """The ways that ask a model about ``words``."""
        asked = len(words)
        fast = LiveWay("fast", self.seat, asked=asked)
        return [fast] if self.council is None else [fast, LiveWay("accurate", self.council, asked=asked)]

    def foresee(self, words: str) -> DecisionNote:
        """What would be chosen if the caller's words so far were all, and this an ordinary turn's end."""
        caster = self.forecaster
        wait_ms, end_ms = caster.ordinary_wait_ms, caster.ordinary_end_ms
        kind = kind_of(words, history=False)
        ways = tuple(
            Way(caster.candidate(way, None, way.path, 0.0, kind), room=not way.cores)
            for way in self.models(words)
        )
        moment = Moment(wait_ms, False, end_ms, ways)
        _, orders = steer(TurnState(), moment, caster.predictor, caster.budget)
        return replace(note_of("stable words", moment, orders, caster.predictor), started=())

    def next_bridge(self, last: str | None) -> tuple[str, float] | None:
        """The phrase to say, and its length in ms."""
        if self.phrases is None:
            return None
        had = [text for text in self.bridges if text in self.phrases]
        text = next_bridge(had, last)
        audio = None if text is None else self.phrases.get(text)
        return None if text is None or audio is None else (text, len(audio) * 1000.0 / self.voice_hz)
