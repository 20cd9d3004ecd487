"""The figures of a run, computed from its rows and from nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from agent.report.facts import Failure, Lateness
from agent.report.foretold import endpointing, prediction
from agent.report.rounded import interval_of, percentiles, value_of
from agent.report.schema import Intervals, PartCost, SpeculationSummary, Summary
from agent.report.turns import Turn, UnmatchedRow
from latency_budget.exchange import Path
from latency_budget.ledger import Part
from latency_budget.marks import Mark
from latency_budget.statistics import percentile, share, share_within

WITHIN_MS = (200, 300, 500, 800)
"""The limits that shares are given for."""


def summarise_rows(
    turns: Sequence[Turn],
    unmatched: Sequence[UnmatchedRow],
    failures: Sequence[Failure],
    lateness_ms: Sequence[float],
    wer: float | None,
) -> Summary:
    """Sum up a run. ``lateness_ms`` holds every frame's lateness; ``wer`` is a share, None if nothing was
    checked.
    """
    answered = [turn for turn in turns if turn.v2v_ms is not None and not turn.overtaken]
    v2v = [turn.v2v_ms for turn in answered if turn.v2v_ms is not None]
    within = {str(limit): share_within(v2v, limit) for limit in WITHIN_MS}
    judged = [turn for turn in turns if turn.budget_met is not None]
    met = share(sum(turn.budget_met is True for turn in judged), len(judged))
    cut_ins = share(sum(turn.cut_in for turn in turns), len(turns))
    damaging = share(sum(turn.damaging for turn in turns), len(turns))
    missed = share(sum(turn.missed for turn in turns), len(turns))
    rows: list[Turn | UnmatchedRow] = [*turns, *unmatched]
    stalls = [stall for turn in turns for stall in turn.stalls_ms]
    return Summary(
        turns=len(turns),
        answered=len(answered),
        v2v_ms=percentiles(v2v),
        onset_ms=percentiles([turn.onset_ms for turn in turns if turn.onset_ms is not None]),
        response_ms=percentiles([turn.response_ms for turn in answered if turn.response_ms is not None]),
        endpoint_delay_ms=percentiles(
            [turn.endpoint_delay_ms for turn in answered if turn.endpoint_delay_ms is not None]
        ),
        share_v2v_within={limit: value_of(one) for limit, one in within.items()},
        budget_met=value_of(met),
        cut_ins=value_of(cut_ins),
        damaging_cut_ins=value_of(damaging),
        missed=value_of(missed),
        wilson_95=Intervals(
            share_v2v_within={limit: interval_of(one) for limit, one in within.items()},
            budget_met=interval_of(met),
            cut_ins=interval_of(cut_ins),
            damaging_cut_ins=interval_of(damaging),
            missed=interval_of(missed),
        ),
        paths=_paths(turns),
        speculation=_speculation(turns, unmatched),
        overtaken=sum(turn.overtaken for turn in turns),
        interrupted=sum(turn.interrupted for turn in turns),
        stalls=len(stalls),
        longest_stall_ms=max(stalls, default=None),
        wer=wer,
        underruns=sum(row.underruns for row in rows),
        unmatched=len(unmatched),
        failures=len(failures),
        lateness_ms=lateness(lateness_ms),
        parts=_parts(answered),
        prediction=prediction(turns),
        endpointing=endpointing(turns),
    )


def lateness(values: Sequence[float]) -> Lateness:
    """How late frames were, to a hundredth of a ms."""
    if not values:
        return Lateness(count=0, p50=None, p99=None, max=None)
    return Lateness(
        count=len(values),
        p50=round(percentile(values, 50), 2),
        p99=round(percentile(values, 99), 2),
        max=round(max(values), 2),
    )


def _audible(turns: Sequence[Turn]) -> list[Turn]:
    return [turn for turn in turns if Mark.FIRST_AUDIO in turn.marks]


def _paths(turns: Sequence[Turn]) -> dict[Path, int]:
    names: tuple[Path, ...] = get_args(Path)
    taken = [turn.path for turn in turns]
    return {name: taken.count(name) for name in names}


def _parts(answered: Sequence[Turn]) -> dict[Part, PartCost]:
    """The parts of V2V, the dearest first; equals in the order of the turn."""
    whole = sum(turn.v2v_ms or 0 for turn in answered)
    sums = {part: sum(getattr(turn.parts_ms, part, 0) for turn in answered) for part in Part}
    return {
        part: PartCost(
            mean_ms=round(total / len(answered), 1),
            share=round(total / whole, 4),
            slowest_in=sum(turn.slowest_part == part for turn in answered),
        )
        for part, total in sorted(sums.items(), key=lambda item: -item[1])
        if whole
    }


def _ratio(part: float, whole: float) -> float | None:
    return round(part / whole, 4) if whole > 0 else None


def _heard_s(rows: Sequence[Turn | UnmatchedRow]) -> float:
    """Seconds of our own speech that were heard."""
    return sum(end - start for row in rows for start, end in row.audible_ms) / 1000.0


def _speculation(turns: Sequence[Turn], unmatched: Sequence[UnmatchedRow]) -> SpeculationSummary:
    heard = _audible(turns)
    hits = share(sum(turn.speculation.hit for turn in heard), len(heard))
    rows: list[Turn | UnmatchedRow] = [*turns, *unmatched]
    every = [row.speculation for row in rows]
    spoken = sum(one.spoken_audio_s for one in every)
    fitting = sum(one.fitting_audio_s for one in every)
    waste = sum(one.waste_audio_s for one in every)
    return SpeculationSummary(
        hits=value_of(hits),
        precision=_ratio(fitting, spoken),
        waste_tokens=sum(one.waste_tokens for one in every),
        waste_audio_s=round(waste, 3),
        tokens_per_spoken=_ratio(
            sum(row.tokens.speculated for row in rows), sum(row.tokens.generated for row in rows)
        ),
        audio_per_spoken=_ratio(spoken + waste, _heard_s(rows)),
    )
