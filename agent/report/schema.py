"""The report's JSON: the stable contract. Fields are added, never renamed or given another meaning.

``python -m agent.report.schema > docs/report.schema.json`` writes the JSON schema.
"""

from __future__ import annotations

import json
import sys
from datetime import datetime
from typing import Literal

from pydantic import Field

from agent.report.facts import (
    Call,
    ConfigFacts,
    Failure,
    Lateness,
    Machine,
    ModelFacts,
    ObserverReading,
    ReplayFacts,
    ReplayMode,
    Section,
    SpeechEndSource,
)
from agent.report.turns import (
    CutInRow,
    Decision,
    Parts,
    ReplyDetails,
    Speculation,
    Tokens,
    Turn,
    UnmatchedRow,
)
from latency_budget.exchange import Path
from latency_budget.ledger import Part

__all__ = [
    "Call",
    "ConfigFacts",
    "CutInRow",
    "Decision",
    "Endpointing",
    "Failure",
    "Interval",
    "Intervals",
    "Lateness",
    "Machine",
    "ModelFacts",
    "ObserverReading",
    "PartCost",
    "Parts",
    "Percentiles",
    "Prediction",
    "ReplayFacts",
    "ReplayMode",
    "ReplyDetails",
    "Report",
    "Speculation",
    "SpeculationSummary",
    "SpeechEndSource",
    "Summary",
    "TimerPoint",
    "Tokens",
    "Turn",
    "UnmatchedRow",
    "json_schema",
]
"""The whole contract from one place; the sections are defined in ``facts`` and ``turns``."""


class Percentiles(Section):
    """Percentiles in ms by linear interpolation; null where ``count`` is 0."""

    count: int
    p50: float | None
    p90: float | None
    p95: float | None
    p99: float | None


Interval = tuple[float, float] | None


class Intervals(Section):
    """Wilson 95 % intervals of the summary's shares; null where there was nothing to count."""

    share_v2v_within: dict[str, Interval]
    budget_met: Interval
    cut_ins: Interval
    damaging_cut_ins: Interval
    missed: Interval


class PartCost(Section):
    """What one part of V2V cost over the run, in ms a turn."""

    mean_ms: float = Field(description="over the turns that have a V2V, those that waited 0 ms for it too")
    share: float = Field(description="of all V2V")
    slowest_in: int = Field(description="turns in which it was the slowest part")


class SpeculationSummary(Section):
    """What preparing replies brought and cost over the run."""

    hits: float | None = Field(description="share of the replies heard that had been prepared")
    precision: float | None = Field(description="share of the spoken prepared audio that fits")
    waste_tokens: int
    waste_audio_s: float
    tokens_per_spoken: float | None = Field(
        None,
        description="tokens written before a turn's end, the wasted ones too, over all tokens of the replies",
    )
    audio_per_spoken: float | None = Field(
        None, description="audio prepared and spoken or wasted, over all audio that was heard"
    )


class Prediction(Section):
    """How well the onset was foretold when the turn was over, for the path that was heard."""

    turns: int = Field(description="turns with a forecast and an onset, neither cut in nor overtaken")
    error_ms: Percentiles = Field(description="absolute difference between the median forecast and the onset")
    bias_ms: float | None = Field(description="median of onset minus forecast: above 0, later than foretold")
    within_p95: float | None = Field(description="share of onsets at or below the forecast's p95")
    within_p95_wilson_95: Interval


class TimerPoint(Section):
    """An ideal timer on the same turns: it answers after this silence, wherever it comes."""

    silence_ms: int
    cut_ins: float = Field(description="share of turns with a pause at least as long")


class Endpointing(Section):
    """The agent's wait against what the labelled pauses would do to a plain timer."""

    turns: int
    mean_delay_ms: float | None = Field(description="mean endpoint delay of the answered turns")
    cut_ins: float | None
    timer: list[TimerPoint]
    timer_as_careful_ms: int | None = Field(
        description="shortest silence at which the timer cuts into no larger share; null: none of those tried"
    )


class Summary(Section):
    """The run in figures. Shares are of all turns unless said otherwise; null where there was nothing to
    count.
    """

    turns: int
    answered: int = Field(description="turns with a V2V: what percentiles and share_v2v_within rest on")
    v2v_ms: Percentiles
    onset_ms: Percentiles
    response_ms: Percentiles
    endpoint_delay_ms: Percentiles
    share_v2v_within: dict[str, float | None]
    budget_met: float | None = Field(description="of turns not null in their rows; missed: not met")
    cut_ins: float | None
    damaging_cut_ins: float | None
    missed: float | None
    wilson_95: Intervals
    paths: dict[Path, int]
    speculation: SpeculationSummary
    overtaken: int
    interrupted: int
    stalls: int
    longest_stall_ms: int | None
    wer: float | None
    underruns: int
    unmatched: int
    failures: int
    lateness_ms: Lateness
    parts: dict[Part, PartCost] = Field(
        default_factory=dict, description="dearest first; empty without a V2V"
    )
    prediction: Prediction | None = None
    endpointing: Endpointing | None = None


class Report(Section):
    """The whole document."""

    schema_version: Literal[1] = Field(1, alias="schema")
    started_at: datetime
    machine: Machine
    config: ConfigFacts
    models: list[ModelFacts] = Field(default_factory=list)
    replay: ReplayFacts
    calls: list[Call]
    turns: list[Turn]
    unmatched: list[UnmatchedRow]
    failures: list[Failure]
    observer_ms: list[ObserverReading]
    summary: Summary

    def to_json(self, indent: int | None = None) -> str:
        """The document as JSON text: one line unless ``indent`` is given."""
        return self.model_dump_json(indent=indent)


def json_schema() -> str:
    """The JSON schema of the report, as text."""
    return json.dumps(Report.model_json_schema(mode="serialization"), indent=2) + "\n"


if __name__ == "__main__":
    sys.stdout.write(json_schema())
