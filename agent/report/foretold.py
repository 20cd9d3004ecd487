"""Two comparisons of a run with itself: onsets with their forecasts, and the wait with a plain timer's. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from agent.report.rounded import interval_of, percentiles, value_of
from agent.report.schema import Endpointing, Prediction, TimerPoint
from agent.report.turns import Turn
from latency_budget.statistics import median, share

SILENCES_MS = tuple(range(200, 3001, 100))
"""The timers that are tried. Shorter pauses than 200 ms are not labelled."""


def pairs(turns: Sequence[Turn]) -> list[tuple[float, float, float | None, Turn]]:
    """Median forecast, onset, p95 forecast and the turn, where the heard path had been foretold.

    A cut-in or an answer to an overtaken turn has no onset that a forecast could be held against.
    """
    found = []
    for turn in turns:
        if (
            turn.decision is None
            or turn.onset_ms is None
            or turn.path is None
            or turn.cut_in
            or turn.overtaken
        ):
            continue
        foretold = turn.decision.predicted_ms.get(turn.path)
        if foretold is not None:
            late = turn.decision.predicted_p95_ms.get(turn.path)
            found.append((foretold, float(turn.onset_ms), late, turn))
    return found


def prediction(turns: Sequence[Turn]) -> Prediction | None:
    """How well onsets were foretold; None where none was."""
    found = pairs(turns)
    if not found:
        return None
    judged = [(onset, late) for _, onset, late, _ in found if late is not None]
    within = share(sum(onset <= late for onset, late in judged), len(judged))
    return Prediction(
        turns=len(found),
        error_ms=percentiles([abs(onset - foretold) for foretold, onset, _, _ in found]),
        bias_ms=round(median([onset - foretold for foretold, onset, _, _ in found]), 1),
        within_p95=value_of(within),
        within_p95_wilson_95=interval_of(within),
    )


def endpointing(turns: Sequence[Turn]) -> Endpointing | None:
    """The wait of this run beside that of timers on the same pauses; None without turns."""
    if not turns:
        return None
    delays = [
        turn.endpoint_delay_ms
        for turn in turns
        if turn.endpoint_delay_ms is not None and turn.v2v_ms is not None and not turn.overtaken
    ]
    longest = [max((end - start for start, end in turn.holds_ms), default=0.0) for turn in turns]
    timer = [
        TimerPoint(
            silence_ms=silence, cut_ins=round(sum(hold >= silence for hold in longest) / len(turns), 4)
        )
        for silence in SILENCES_MS
    ]
    ours = round(sum(turn.cut_in for turn in turns) / len(turns), 4)
    return Endpointing(
        turns=len(turns),
        mean_delay_ms=round(sum(delays) / len(delays), 1) if delays else None,
        cut_ins=ours,
        timer=timer,
        timer_as_careful_ms=next((one.silence_ms for one in timer if one.cut_ins <= ours), None),
    )
