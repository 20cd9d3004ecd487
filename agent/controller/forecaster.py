"""What is predicted of each way of answering, and what is learned from what came of it. One for a session."""

from __future__ import annotations

from dataclasses import dataclass

from agent.controller.quality import Quality
from agent.controller.way import LiveWay
from agent.recorder import ReplyRecord, TakeRecord
from latency_budget.config import BudgetConfig
from latency_budget.exchange import Path
from latency_budget.hindsight import Best, Known, best_of
from latency_budget.policy import Candidate, unreachable
from latency_budget.predictor import Forecast, Predictor, Took, Work
from latency_budget.profile import Stage

FROM_MEMORY_MS = 3.0
"""A first piece that came sooner than this was not spoken but had."""
NEWS = 0.2
"""Weight of the newest turn in what an ordinary turn is like."""
ASKED = 40
"""Characters of an ordinary turn."""
OUTPUT = Work(Stage.OUTPUT)


@dataclass(frozen=True, slots=True)
class Ordinary:
    """An ordinary turn: prompt tokens to read, words and characters of the first piece."""

    read: float = 15.0
    words: float = 4.0
    chars: float = 18.0

    def blended(self, read: float, words: float, chars: float) -> Ordinary:
        """With one more turn."""
        pairs = ((self.read, read), (self.words, words), (self.chars, chars))
        return Ordinary(*((1.0 - NEWS) * old + NEWS * new for old, new in pairs))


class Forecaster:
    """Keeps the predictor of one session. Fits :class:`agent.recorder.Watcher`."""

    def __init__(self, predictor: Predictor, budget: BudgetConfig, quality: Quality) -> None:
        self.predictor, self.budget, self.quality = predictor, budget, quality
        self.ordinary_wait_ms = 170.0  # until the words are there
        self.ordinary_end_ms = 400.0  # until the turn is committed
        self._ordinary = Ordinary()
        self._made: dict[int, Forecast] = {}

    def candidate(
        self, way: LiveWay, made: TakeRecord | None, path: Path, now_ms: float, kind: str
    ) -> Candidate:
        """``way`` as the controller takes it: what is left of it at ``now_ms``, what it is worth, what it costs."""
        works = self.left(way, made, now_ms)
        quality = way.fit if way.fit is not None else self.quality.of(path, kind)
        return Candidate(path, works, quality, self._price(way, works))

    def left(self, way: LiveWay, made: TakeRecord | None, now_ms: float) -> tuple[Work, ...]:
        """What it still needs until it is heard, by the marks that it has."""
        if way.ready or way.path == "cached":
            return (OUTPUT,)
        scratch = self.from_scratch(way.path, way.asked)
        marks = made.marks if made is not None else {}
        if made is not None and (written := marks.get("reply_first_segment")) is not None and made.said:
            chars = float(len(made.said[0]))
            return (Work(Stage.TTS, (chars,), spent_ms=max(0.0, now_ms - written)), OUTPUT)
        if (started := marks.get("reply_started")) is not None:
            model = Work(scratch[0].stage, scratch[0].amounts, spent_ms=max(0.0, now_ms - started))
            return (model, *scratch[1:])
        return scratch

    def from_scratch(self, path: Path, asked: int = ASKED) -> tuple[Work, ...]:
        """All that a turn of ``asked`` characters ordinarily needs by a seat."""
        one = self._ordinary
        model = (
            Work(Stage.ACCURATE, (float(asked),))
            if path == "accurate"
            else Work(Stage.MODEL, (one.read, one.words))
        )
        return (model, Work(Stage.TTS, (one.chars,)), OUTPUT)

    def foretold(self, reply: int, forecast: Forecast) -> None:
        """What was predicted of the way that will be heard; kept until it is known what came of it."""
        self._made[reply] = forecast

    def beyond_reach(self, earliest_ms: float, accurate: bool = False) -> str | None:
        """Why no path can keep the budget on this machine, with what it reaches; None if one can.

        ``earliest_ms`` is the least silence before the words are read. The prepared path then needs the output only.
        """
        return unreachable(self.reach(earliest_ms, accurate), self.budget)

    def reach(self, earliest_ms: float, accurate: bool) -> dict[str, Forecast]:
        """When each path would be heard on a quiet machine, at the earliest."""
        reach = {
            "speculated": self.predictor.forecast((OUTPUT,), earliest_ms),
            "fast": self.predictor.forecast(self.from_scratch("fast"), earliest_ms),
        }
        if accurate:
            reach["accurate"] = self.predictor.forecast(self.from_scratch("accurate"), earliest_ms)
        return reach

    def closed(self, record: ReplyRecord, origin_ms: float) -> None:
        """Learn from a reply that is over: from the one that was heard, and from what else was written for it."""
        forecast = self._made.pop(record.reply, None)
        heard = record.played.first_audio_ms if record.played else None
        self._follow(record, origin_ms)
        took = [one for made in record.takes.values() for one in self._took(made, len(record.heard))]
        if forecast is None or heard is None:
            self.predictor = self.predictor.learned(took)
            return
        spoken = record.marks.get("tts_first_chunk")
        if spoken is not None and record.bridge is None:
            took.append(Took(OUTPUT, heard - max(spoken, record.marks["turn_end"])))
        record.best = self._best(record, origin_ms)
        if record.bridge is None:
            self.predictor = self.predictor.seen(forecast, heard - origin_ms - record.covers_ms)
        self.predictor = self.predictor.learned(took).timed(took)

    def _best(self, record: ReplyRecord, origin_ms: float) -> Best | None:
        """What would have been the best way, by what the ways took that were begun, and the forecasts of the others."""
        end, over = origin_ms + record.covers_ms, record.marks["turn_end"]
        said = next((note for note in reversed(record.decisions) if note.event == "turn end"), None)
        if said is None:
            return None
        output = self.predictor.forecast((OUTPUT,)).mean_ms
        ready = {path: at - output for path, at in said.predicted_ms.items()}
        for made in record.takes.values():
            spoken = made.marks.get("tts_first_chunk")
            if spoken is not None:
                begun = made.marks.get("reply_started", over)
                path = "speculated" if made.path == "fast" and begun < over else made.path
                ready[path] = spoken - end
        known = [Known(path, said.quality[path], at) for path, at in ready.items() if path in said.quality]
        return best_of(known, record.path, over - end, output, self.budget)

    def _follow(self, record: ReplyRecord, origin_ms: float) -> None:
        """When words and the turn's end ordinarily come."""
        end = origin_ms + record.covers_ms
        words, over = record.marks.get("asr_final"), record.marks.get("turn_end")
        if words is not None and over is not None and words >= end and over >= end:
            self.ordinary_wait_ms += NEWS * (words - end - self.ordinary_wait_ms)
            self.ordinary_end_ms += NEWS * (over - end - self.ordinary_end_ms)

    def _price(self, way: LiveWay, works: tuple[Work, ...]) -> float:
        if way.plan is not None and way.plan.price is not None:
            return 0.0 if way.started else way.plan.price
        cores = 1 if way.plan is None else way.cores
        own = [work for work in works if work.stage is not Stage.OUTPUT]
        return cores * self.predictor.forecast(own).mean_ms / 1000.0

    def _took(self, made: TakeRecord, asked: int) -> list[Took]:
        """The times that this way's stages really took, for a turn of ``asked`` characters."""
        marks, took = made.marks, []
        started, written = marks.get("reply_started"), marks.get("reply_first_segment")
        spoken = marks.get("tts_first_chunk")
        if started is None or written is None or not made.said or made.path == "cached":
            return []
        words, chars = float(len(made.said[0].split())), float(len(made.said[0]))
        if made.path == "accurate":
            took.append(Took(Work(Stage.ACCURATE, (float(asked),)), written - started))
        elif made.prefill is not None:
            read = float(max(0, made.prefill.prompt_tokens - made.prefill.reused_tokens))
            took.append(Took(Work(Stage.MODEL, (read, words)), written - started))
            self._ordinary = self._ordinary.blended(read, words, chars)
        if spoken is not None and spoken - written > FROM_MEMORY_MS:
            took.append(Took(Work(Stage.TTS, (chars,)), spoken - written))
        return took
