"""Settings of turn taking: when a turn opens, when it is over, when the caller cuts in."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from stages.council.config import SeatConfig
from stages.endpoint.config import SmartTurnConfig, VadConfig


class HoldPoint(BaseModel):
    """One step of the schedule: this sure, this much silence."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    probability: float = Field(ge=0.0, le=1.0, description="turn-end probability from which this step holds")
    silence_ms: float = Field(ge=0.0, le=10_000.0, description="silence after which the turn is then over")


class TextEndConfig(BaseModel):
    """The small language model that is asked whether the words are a whole message."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str | None = Field(
        "smollm2-135m",
        min_length=1,
        description="a name from `models list`, or a .gguf file; null decides without it",
    )
    threads: int = Field(1, ge=1, le=64, description="threads of one question")
    n_ctx: int = Field(
        1024, ge=256, le=131072, description="context in tokens: the agent's words and the turn"
    )

    def seat(self) -> SeatConfig:
        """The seat that such a model takes: one sequence, which is only read."""
        return SeatConfig(threads=self.threads, n_ctx=self.n_ctx, reply_tokens=16, sequences=1)


class EndpointConfig(BaseModel):
    """Voice activity, turn end and the rules between them. Times are milliseconds of audio."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    vad_threshold: float = Field(
        0.5, ge=0.01, le=0.99, description="voice probability from which a window is voiced"
    )
    vad_release: float = Field(
        0.35, ge=0.01, le=0.99, description="probability below which a voiced run ends; below the threshold"
    )
    quiet_db: float | None = Field(
        30.0,
        ge=10.0,
        le=60.0,
        description="how many dB below the loudest of its run of voice a window is taken for silence before voice "
        "activity, which falls late, finds it: work for the turn's end begins then; null begins with voice activity",
    )
    open_ms: float = Field(96.0, ge=32.0, le=1000.0, description="unbroken voice that opens a turn")
    resume_ms: float = Field(
        64.0, ge=32.0, le=1000.0, description="unbroken voice that ends a pause inside a turn"
    )
    barge_in_ms: float = Field(
        192.0, ge=32.0, le=2000.0, description="unbroken voice over a reply that stops it"
    )
    reopen_within_ms: float = Field(
        1800.0,
        ge=0.0,
        le=10_000.0,
        description="how soon after their last word a caller may go on with a turn that was taken to be over",
    )
    decide_after_ms: float = Field(
        64.0,
        ge=32.0,
        le=2000.0,
        description="silence at which the words are read and the turn-end model is first asked",
    )
    least_ms: float = Field(
        224.0,
        ge=32.0,
        le=2000.0,
        description="silence before which fused ends no turn: what it gains there costs more waits elsewhere, since so "
        "many pauses are shorter",
    )
    repeat_ms: float = Field(
        96.0, ge=32.0, le=2000.0, description="silence between two questions to it in one pause"
    )
    decide: Literal["fused", "sound"] = Field(
        "fused",
        description="fused weighs sound, words, what was asked and the caller's pauses; "
        "sound goes by smart-turn alone, on the schedule in points",
    )
    cut_ins: float = Field(
        0.085,
        ge=0.01,
        le=0.3,
        description="share of the caller's pauses that fused may take for the turn's end; less waits longer",
    )
    points: tuple[HoldPoint, ...] = Field(
        (
            HoldPoint(probability=0.9, silence_ms=352.0),
            HoldPoint(probability=0.5, silence_ms=640.0),
        ),
        description="schedule of sound, surest first: the silence that ends a turn at each turn-end probability",
    )
    timeout_ms: float = Field(
        1800.0,
        ge=200.0,
        le=10_000.0,
        description="silence that ends a turn whatever the models say: at 2 s callers think that nobody is there",
    )
    unfinished_timeout_ms: float = Field(
        3000.0,
        ge=200.0,
        le=10_000.0,
        description="the same where the last words want more: a hanging and, an um, a number or letter",
    )
    no_words_ms: float = Field(
        1400.0,
        ge=200.0,
        le=10_000.0,
        description="silence that closes a turn in which no words were found, at most",
    )
    text_limit_ms: float = Field(
        2500.0,
        ge=200.0,
        le=20_000.0,
        description="silence after which a turn is closed although its words are missing",
    )
    ask_again_voiced_ms: float = Field(
        400.0,
        ge=0.0,
        le=10_000.0,
        description="voice without words from which the agent asks the caller to repeat",
    )
    vad: VadConfig = Field(VadConfig(), description="voice activity model")
    smart_turn: SmartTurnConfig = Field(SmartTurnConfig(), description="turn-end model by the sound")
    text_end: TextEndConfig = Field(TextEndConfig(), description="turn-end model by the words")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.vad_release > self.vad_threshold:
            raise ValueError("vad_release must not be above vad_threshold.")
        for sure, less in zip(self.points, self.points[1:], strict=False):
            if less.probability >= sure.probability or less.silence_ms < sure.silence_ms:
                raise ValueError(
                    "points must go from sure to unsure: probabilities falling, silences not falling."
                )
        if self.points and self.points[-1].silence_ms > self.timeout_ms:
            raise ValueError("timeout_ms must not be below the last silence in points.")
        return self

    def sound_hold_ms(self, probability: float | None) -> float:
        """Silence that ends the turn at this turn-end ``probability`` (None: not known yet)."""
        if probability is None:
            return self.timeout_ms
        return next((p.silence_ms for p in self.points if probability >= p.probability), self.timeout_ms)
