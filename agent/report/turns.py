"""Sections of the report on single turns: one row a labelled turn, and the exchanges that belong to none."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from agent.report.facts import Section
from latency_budget.exchange import Path
from latency_budget.ledger import Part
from latency_budget.marks import Mark
from latency_budget.outcome import Reason


class Parts(Section):
    """The parts of V2V in whole ms. They sum to it."""

    endpoint: int = Field(ge=0)
    asr: int = Field(ge=0)
    decision: int = Field(ge=0)
    model: int = Field(ge=0)
    tts: int = Field(ge=0)
    output: int = Field(ge=0)


class CutInRow(Section):
    """The agent became audible inside a caller turn."""

    exchange: int
    at_ms: float
    overlap_ms: int = Field(ge=0, description="caller and agent audible together, holds not counted")
    words_lost: bool
    damaging: bool


class DecisionStep(Section):
    """One decision; times in ms after the caller's last voiced sample."""

    event: str = Field(description="what had happened")
    waited_ms: float
    chosen: str | None = Field(description="null: the safe sentence")
    why: str
    predicted_ms: dict[str, float] = Field(description="median forecast of the onset, by path")
    predicted_p95_ms: dict[str, float]
    quality: dict[str, float] = Field(description="expected share of right answers, by path")
    price: dict[str, float] = Field(description="what it would still cost, by path")
    started: list[str]
    aborted: list[str]


class WayRow(Section):
    """One way of answering that was begun."""

    path: Path | Literal["safe"]
    heard: bool
    ready_ms: float | None = Field(description="its first audio was in memory, after the last voiced sample")
    said: str
    tokens: int = Field(ge=0)
    audio_s: float = Field(ge=0)
    price: float = Field(ge=0, description="seconds for which it held cores")


class Hindsight(Section):
    """The best choice, as is known afterwards."""

    path: str
    onset_ms: int = Field(description="when it would have been heard")
    quality: float
    regret: float = Field(ge=0, description="quality lost against it")


class Decision(Section):
    """Which path was taken, and why."""

    predicted_ms: dict[str, float] = Field(
        default_factory=dict, description="median forecast of the onset by path, made at the turn's end"
    )
    predicted_p95_ms: dict[str, float] = Field(
        default_factory=dict, description="the onset by path that 95 of 100 such turns keep"
    )
    chosen: Path
    why: str
    steps: list[DecisionStep] = Field(
        default_factory=list, description="the decisions of the turn that changed something, in order"
    )
    ways: list[WayRow] = Field(
        default_factory=list, description="every way of answering that was begun, and what became of it"
    )
    price: float = Field(0.0, ge=0.0, description="seconds for which language models held cores, all ways")
    best: Hindsight | None = Field(None, description="what would have been best, as is known afterwards")


class Tokens(Section):
    """What the language model read and wrote for one turn."""

    prompt: int = Field(0, ge=0)
    reused: int = Field(0, ge=0)
    generated: int = Field(0, ge=0)
    speculated: int = Field(0, ge=0)


class Speculation(Section):
    """What was prepared before the turn's end, and what became of it."""

    hit: bool = Field(False, description="the prepared reply was the one spoken")
    spoken_audio_s: float = Field(0.0, ge=0, description="prepared audio that was played")
    fitting_audio_s: float = Field(0.0, ge=0, description="of that, what fits the final transcript")
    waste_tokens: int = Field(0, ge=0)
    waste_audio_s: float = Field(0.0, ge=0)


class ReplyDetails(Section):
    """What the agent notes about one exchange besides its marks."""

    decision: Decision | None = None
    tokens: Tokens = Tokens()
    speculation: Speculation = Speculation()
    underruns: int = Field(0, ge=0, description="times that the output had nothing to play inside the reply")


class Turn(Section):
    """One labelled caller turn and what became of it."""

    call: str
    turn: int
    exchange: int | None = Field(description="whose reply it is; null: the agent never committed")
    heard: str
    said: str
    reference: str | None
    path: Path | None = Field(description="null: nothing was heard")
    bridge: str | None
    marks: dict[Mark, float] = Field(description="ms; marks that did not happen are absent")
    v2v_ms: int | None = Field(ge=0)
    onset_ms: int | None = Field(ge=0)
    response_ms: int | None = Field(ge=0)
    endpoint_delay_ms: int | None = Field(description="negative: committed inside the labelled turn")
    parts_ms: Parts | None
    slowest_part: Part | None
    budget_met: bool | None = Field(description="null: the caller spoke again while the budget still ran")
    cut_in: bool
    damaging: bool
    missed: bool
    interrupted: bool
    overtaken: bool
    stalls_ms: list[int]
    cut_ins: list[CutInRow]
    decision: Decision | None
    tokens: Tokens
    speculation: Speculation
    underruns: int
    fault: str | None = Field(description="an impossible order of marks; the turn then has no latency")
    holds_ms: list[tuple[float, float]] = Field(
        default_factory=list, description="pauses inside the turn: the caller is not audible in them"
    )
    audible_ms: list[tuple[float, float]] = Field(
        default_factory=list,
        description="when the agent could be heard: every reply of this turn, cut-ins too",
    )


class UnmatchedRow(Section):
    """A commit of the agent that answers no labelled turn, e.g. a reply to a noise."""

    call: str
    exchange: int
    reason: Reason
    turn_end_ms: float
    audible_ms: list[tuple[float, float]]
    heard: str
    said: str
    underruns: int
    tokens: Tokens
    speculation: Speculation
