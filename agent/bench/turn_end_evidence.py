"""Asks the models about every silence of a call, as the live agent would, but without waiting for real time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from agent.bench.turn_end_cache import AnswerCache, digest
from agent.bench.turn_end_walk import Silence, said_before, silences
from agent.calls.load import LoadedCall
from agent.reading import LONGEST_MS, PRE_ROLL_MS, STRETCH_MS
from stages.audio.dc import DcBlocker
from stages.contract import (
    RATE_HZ,
    WINDOW_SAMPLES,
    Audio,
    Recogniser,
    TextEndModel,
    TurnEndModel,
    VoiceActivity,
)
from stages.endpoint.voice_gate import Voice, VoiceGate, VoiceThresholds

READ_AT_MS = 64.0
SOUND_HEARS_MS = 8000.0
ASK_AT_MS = (64.0, 96.0, 128.0, 160.0, 192.0, 224.0, 256.0, *(float(a) for a in range(352, 1057, 96)))
"""Lengths of silence at which the sound model is asked: each window at first, then as often as live."""

Progress = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Models:
    """What is asked. ``names`` tells their files apart in the cache; voice activity is made anew for each call."""

    activity: Callable[[], VoiceActivity]
    sound: TurnEndModel
    recogniser: Recogniser
    text: TextEndModel
    names: str
    thresholds: VoiceThresholds


@dataclass(frozen=True, slots=True)
class Asked:
    """A silence with what the models said.

    Attributes:
        call: name of the call.
        sound: the sound model's probability at each length of silence it was asked at.
        text: the words up to the silence.
        text_end: the language model's probability that they are a whole message.
    """

    call: str
    silence: Silence
    sound: dict[float, float]
    text: str
    text_end: float


def ask_call(
    call: LoadedCall, models: Models, cache: AnswerCache, progress: Progress = lambda share: None
) -> list[Asked]:
    """Every silence of the caller's turns with the models' answers, from ``cache`` where they are known."""
    audio = DcBlocker(RATE_HZ).push(call.caller)
    key = digest("voice and level", audio, models.names, models.thresholds)
    seen: list[list[bool]] = cache.get(key, lambda: _voiced(audio, models))
    found = silences([Voice(*one) for one in seen], call.turns, said_before(call.turns))
    asked: list[Asked] = []
    words: _Words | None = None
    for at, silence in enumerate(found):
        if words is None or words.turn != silence.turn:
            words = _Words(silence.turn, silence.turn_start_ms - PRE_ROLL_MS)
        text = words.up_to(silence.start_ms - silence.lead_ms + READ_AT_MS, audio, models, cache)
        sound = _sound(audio, silence, models, cache)
        key = digest("end", silence.said, text, models.names)
        end = cache.get(key, partial(models.text.end_probability, silence.said, text))
        asked.append(Asked(call.call.name, silence, sound, text, end))
        progress((at + 1) / len(found))
    return asked


def _voiced(audio: Audio, models: Models) -> list[Voice]:
    vad, gate, voiced = models.activity(), VoiceGate(models.thresholds), []
    for start in range(0, len(audio) - WINDOW_SAMPLES + 1, WINDOW_SAMPLES):
        window = audio[start : start + WINDOW_SAMPLES]
        voiced.append(gate.push(window, vad.probability(window)))
    return voiced


def _cut(audio: Audio, start_ms: float, end_ms: float) -> Audio:
    per_ms = RATE_HZ / 1000.0
    return audio[max(0, round(start_ms * per_ms)) : round(end_ms * per_ms)]


@dataclass
class _Words:
    """The words of one turn: a stretch of 8 s that ends in a pause is not read again, as live."""

    turn: int
    start_ms: float
    fixed: str = ""
    last: tuple[float, str] | None = None

    def up_to(self, end_ms: float, audio: Audio, models: Models, cache: AnswerCache) -> str:
        if self.last and self.last[0] - self.start_ms >= STRETCH_MS:
            self.start_ms, self.fixed = self.last[0], f"{self.fixed} {self.last[1]}".strip()
        heard = _cut(audio, max(self.start_ms, end_ms - LONGEST_MS), end_ms)
        key = digest("words", heard, models.names)
        text: str = cache.get(key, lambda: models.recogniser.transcribe(heard).text)
        self.last = (end_ms, text)
        return f"{self.fixed} {text}".strip()


def _sound(audio: Audio, silence: Silence, models: Models, cache: AnswerCache) -> dict[float, float]:
    end_ms = len(audio) * 1000.0 / RATE_HZ
    asks = [a for a in ASK_AT_MS if a <= silence.length_ms and silence.start_ms + a <= end_ms]

    def heard(at_ms: float) -> Audio:
        now = silence.start_ms + at_ms
        return _cut(audio, max(silence.turn_start_ms - PRE_ROLL_MS, now - SOUND_HEARS_MS), now)

    if not asks:
        return {}
    key = digest("sound", heard(asks[-1]), silence.turn_start_ms, asks, models.names)
    answers: Sequence[float] = cache.get(key, lambda: [models.sound.probability(heard(a)) for a in asks])
    return dict(zip(asks, answers, strict=True))
