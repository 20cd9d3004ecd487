"""From the outcomes of a call to the report's rows, in whole ms."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from agent.report.turns import CutInRow, Parts, ReplyDetails, Speculation, Turn, UnmatchedRow
from latency_budget.config import BudgetConfig
from latency_budget.exchange import Exchange, Span
from latency_budget.ledger import budget_met, slowest_part, whole_ms, whole_parts
from latency_budget.marks import Mark
from latency_budget.outcome import CutIn, Matching, Outcome, Unmatched

Details = Mapping[int, ReplyDetails]
"""What the agent noted about its exchanges, by their id."""

_NOTHING = ReplyDetails()


def turn_rows(call: str, matching: Matching, details: Details, budget: BudgetConfig) -> list[Turn]:
    """One row a labelled turn, in order."""
    return [turn_row(call, outcome, details, budget) for outcome in matching.outcomes]


def unmatched_rows(call: str, matching: Matching, details: Details) -> list[UnmatchedRow]:
    """The exchanges that belong to no labelled turn, in order."""
    return [_unmatched_row(call, one, details) for one in matching.unmatched]


def turn_row(call: str, outcome: Outcome, details: Details, budget: BudgetConfig) -> Turn:
    """The row of one turn.

    Its words, path, decision and tokens are those of ``outcome.source``; underruns and wasted preparation are
    summed over every exchange of the turn, so that nothing spent is lost from the summary.
    """
    source, numbers = outcome.source, outcome.numbers
    noted = _NOTHING if source is None else details.get(source.id, _NOTHING)
    own = _exchanges(outcome)
    v2v = None if numbers is None else _whole(numbers.v2v_ms)
    onset = None if numbers is None else _whole(numbers.onset_ms)
    parts = None if numbers is None or v2v is None else numbers.parts_ms
    return Turn(
        call=call,
        turn=outcome.turn.index,
        exchange=None if source is None else source.id,
        heard="" if source is None else source.heard,
        said="" if source is None else source.said,
        reference=outcome.turn.reference,
        path=None if source is None or not source.audible else source.path,
        bridge=None if source is None else source.bridge,
        marks=_marks(outcome),
        v2v_ms=v2v,
        onset_ms=onset,
        response_ms=None if numbers is None else _whole(numbers.response_ms),
        endpoint_delay_ms=None if numbers is None else _whole(numbers.endpoint_delay_ms),
        parts_ms=None if parts is None else Parts(**whole_parts(parts, v2v or 0)),
        slowest_part=None if parts is None else slowest_part(parts),
        budget_met=_budget_met(outcome, budget),
        cut_in=bool(outcome.cut_ins),
        damaging=outcome.damaging,
        missed=outcome.missed,
        interrupted=outcome.interrupted,
        overtaken=outcome.overtaken,
        stalls_ms=[whole_ms(stall) for stall in outcome.stalls_ms],
        cut_ins=[_cut_in_row(cut_in) for cut_in in outcome.cut_ins],
        decision=noted.decision,
        tokens=noted.tokens,
        speculation=_speculation(noted.speculation, (details.get(one.id, _NOTHING) for one in own)),
        underruns=sum(details.get(one.id, _NOTHING).underruns for one in own),
        fault=None if outcome.fault is None else str(outcome.fault),
        holds_ms=_spans(outcome.turn.holds),
        audible_ms=_spans(sorted(span for one in own for span in one.audible)),
    )


def _whole(value: float | None) -> int | None:
    return None if value is None else whole_ms(value)


def _microseconds(value: float) -> float:
    """Marks keep three decimals: V2V can be computed again from them to the same whole ms."""
    return round(value, 3)


def _spans(spans: Iterable[Span]) -> list[Span]:
    return [(_microseconds(start), _microseconds(end)) for start, end in spans]


def _exchanges(outcome: Outcome) -> list[Exchange]:
    answer = [] if outcome.answer is None else [outcome.answer]
    return [*answer, *(cut_in.exchange for cut_in in outcome.cut_ins), *outcome.silent]


def _marks(outcome: Outcome) -> dict[Mark, float]:
    """The marks, those of an impossible order too; a value that is no number cannot be written as JSON."""
    if outcome.marks is not None:
        return {mark: _microseconds(at) for mark, at in outcome.marks.items()}
    values = {} if outcome.fault is None else outcome.fault.values
    return {mark: _microseconds(at) for mark, at in values.items() if math.isfinite(at)}


def _budget_met(outcome: Outcome, budget: BudgetConfig) -> bool | None:
    """None only where the caller spoke again before the budget had run out."""
    if outcome.overtaken and outcome.wait_ms <= budget.budget_ms:
        return None
    numbers = outcome.numbers
    return numbers is not None and budget_met(budget, numbers.onset_ms, numbers.v2v_ms)


def _cut_in_row(cut_in: CutIn) -> CutInRow:
    return CutInRow(
        exchange=cut_in.exchange.id,
        at_ms=_microseconds(cut_in.at_ms),
        overlap_ms=whole_ms(cut_in.overlap_ms),
        words_lost=cut_in.exchange.words_lost,
        damaging=cut_in.damaging,
    )


def _speculation(source: Speculation, own: Iterable[ReplyDetails]) -> Speculation:
    every = [noted.speculation for noted in own]
    return Speculation(
        hit=source.hit,
        spoken_audio_s=sum(one.spoken_audio_s for one in every),
        fitting_audio_s=sum(one.fitting_audio_s for one in every),
        waste_tokens=sum(one.waste_tokens for one in every),
        waste_audio_s=sum(one.waste_audio_s for one in every),
    )


def _unmatched_row(call: str, one: Unmatched, details: Details) -> UnmatchedRow:
    exchange, noted = one.exchange, details.get(one.exchange.id, _NOTHING)
    return UnmatchedRow(
        call=call,
        exchange=exchange.id,
        reason=one.reason,
        turn_end_ms=_microseconds(exchange.turn_end_ms),
        audible_ms=_spans(exchange.audible),
        heard=exchange.heard,
        said=exchange.said,
        underruns=noted.underruns,
        tokens=noted.tokens,
        speculation=noted.speculation,
    )
