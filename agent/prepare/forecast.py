"""Forecasts each live turn as it is committed, and learns from what came of it."""

from __future__ import annotations

from collections.abc import Mapping

from agent.recorder import ReplyRecord, TurnForecast
from latency_budget.choice import Choice
from latency_budget.config import BudgetConfig
from latency_budget.exchange import Path
from latency_budget.policy import Candidate, Situation, TurnState, decide, unreachable
from latency_budget.predictor import Forecast, Predictor, Took, Work
from latency_budget.profile import Stage

FROM_MEMORY_MS = 3.0
"""A first piece that came sooner than this was not spoken but had."""
NEWS = 0.2
"""Weight of the newest turn in what an ordinary turn is like."""


class TurnForecaster:
    """Keeps the predictor of one session. Fits :class:`agent.recorder.Watcher`."""

    def __init__(self, predictor: Predictor, budget: BudgetConfig) -> None:
        self.predictor, self._budget = predictor, budget
        self._ordinary = (15.0, 4.0, 18.0)  # prompt tokens to read, words and characters of the first piece
        self._made: dict[int, Forecast] = {}

    def committed(self, record: ReplyRecord, at_ms: float, origin_ms: float) -> None:
        """Say when this turn's reply would be heard by each path that stands open."""
        works = self._left(record, at_ms)
        candidates = [Candidate(record.path, works, self._quality(record.path))]
        if record.path == "speculated":
            candidates.append(Candidate("fast", self._from_scratch(), self._quality("fast")))
        waited = at_ms - origin_ms - record.covers_ms
        situation = Situation(waited, tuple(candidates), turn_end_ms=waited)
        forecasts = {
            one.path: self.predictor.forecast(one.works, waited, max(waited, self._budget.min_gap_ms))
            for one in candidates
        }
        _, decision = decide(TurnState(), situation, self.predictor, self._budget)
        self._made[record.reply] = forecasts[record.path]
        record.forecast = _told(decision.choice, forecasts)

    def beyond_reach(self, earliest_ms: float) -> str | None:
        """Why no path can keep the budget on this machine, with what it reaches; None if one can.

        ``earliest_ms`` is the least silence before the words are read. The prepared path then needs the output only.
        """
        reach = {
            "speculated": self.predictor.forecast((Work(Stage.OUTPUT),), earliest_ms),
            "fast": self.predictor.forecast(self._from_scratch(), earliest_ms),
        }
        return unreachable(reach, self._budget)

    def closed(self, record: ReplyRecord, origin_ms: float) -> None:
        """Learn from a reply that is over."""
        forecast = self._made.pop(record.reply, None)
        heard = record.played.first_audio_ms if record.played else None
        if forecast is None or heard is None:
            return
        took = self._took(record, heard)
        self.predictor = (
            self.predictor.seen(forecast, heard - origin_ms - record.covers_ms).learned(took).timed(took)
        )

    def _quality(self, path: Path) -> float:
        return float(getattr(self._budget.quality, path))

    def _left(self, record: ReplyRecord, at_ms: float) -> tuple[Work, ...]:
        """What the reply at hand still needs, by the marks that it has."""
        marks = record.marks
        read, words, chars = self._ordinary
        speak, model = Work(Stage.TTS, (chars,)), Work(Stage.MODEL, (read, words))
        if "tts_first_chunk" in marks:
            return (Work(Stage.OUTPUT),)
        if (written := marks.get("reply_first_segment")) is not None:
            known = float(len(record.said[0])) if record.said else chars
            return (Work(Stage.TTS, (known,), spent_ms=at_ms - written), Work(Stage.OUTPUT))
        started = marks.get("reply_started")
        if started is not None:
            model = Work(Stage.MODEL, (read, words), spent_ms=max(0.0, at_ms - started))
        return (model, speak, Work(Stage.OUTPUT))

    def _from_scratch(self) -> tuple[Work, ...]:
        read, words, chars = self._ordinary
        return (Work(Stage.MODEL, (read, words)), Work(Stage.TTS, (chars,)), Work(Stage.OUTPUT))

    def _took(self, record: ReplyRecord, heard_ms: float) -> list[Took]:
        """The times that this reply's stages really took."""
        marks, took = record.marks, []
        started, written = marks.get("reply_started"), marks.get("reply_first_segment")
        spoken = marks.get("tts_first_chunk")
        if started is not None and written is not None and record.prefill is not None and record.said:
            read = float(max(0, record.prefill.prompt_tokens - record.prefill.reused_tokens))
            words, chars = float(len(record.said[0].split())), float(len(record.said[0]))
            took.append(Took(Work(Stage.MODEL, (read, words)), written - started))
            old = self._ordinary
            self._ordinary = (_blend(old[0], read), _blend(old[1], words), _blend(old[2], chars))
            if spoken is not None and spoken - written > FROM_MEMORY_MS:
                took.append(Took(Work(Stage.TTS, (chars,)), spoken - written))
        if spoken is not None:
            took.append(Took(Work(Stage.OUTPUT), heard_ms - max(spoken, marks["turn_end"])))
        return took


def _blend(old: float, new: float) -> float:
    return (1.0 - NEWS) * old + NEWS * new


def _told(choice: Choice, forecasts: Mapping[Path, Forecast]) -> TurnForecast:
    return TurnForecast(
        predicted_ms={path: round(one.quantile(0.5), 1) for path, one in forecasts.items()},
        predicted_p95_ms={path: round(one.quantile(0.95), 1) for path, one in forecasts.items()},
        why=choice.why,
    )
