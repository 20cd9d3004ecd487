"""Every latency of a turn, derived from its marks in one place."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from latency_budget.config import BudgetConfig
from latency_budget.marks import Mark, TurnMarks


class Part(StrEnum):
    """A stretch of V2V, named for what the caller waited for."""

    ENDPOINT = "endpoint"
    ASR = "asr"
    DECISION = "decision"
    MODEL = "model"
    TTS = "tts"
    OUTPUT = "output"


_ENDS: Mapping[Part, Mark] = MappingProxyType(
    {
        Part.ENDPOINT: Mark.TURN_END,
        Part.ASR: Mark.ASR_FINAL,
        Part.DECISION: Mark.REPLY_STARTED,
        Part.MODEL: Mark.REPLY_FIRST_SEGMENT,
        Part.TTS: Mark.TTS_FIRST_CHUNK,
        Part.OUTPUT: Mark.FIRST_CONTENT,
    }
)


@dataclass(frozen=True, slots=True)
class Ledger:
    """The derived numbers of one turn in ms, unrounded. None where a mark is missing.

    ``v2v_ms`` and ``onset_ms`` are also None for a reply that was heard before ``speech_end``: that is a
    cut-in, and a cut-in has no latency. ``parts_ms`` is None exactly when ``v2v_ms`` is; else it has all six
    parts, each >= 0, and they sum to ``v2v_ms``. ``endpoint_delay_ms`` is negative when the agent committed
    inside the labelled turn.
    """

    v2v_ms: float | None
    onset_ms: float | None
    response_ms: float | None
    endpoint_delay_ms: float | None
    parts_ms: Mapping[Part, float] | None


def ledger(marks: TurnMarks) -> Ledger:
    """Derive the numbers of a turn.

    The parts are cut along ``speech_end`` -> ``turn_end`` -> ``asr_final`` -> ``reply_started`` ->
    ``reply_first_segment`` -> ``tts_first_chunk`` -> ``first_content`` by running maximum: work that was done
    before the caller's wait reached it cost the caller nothing, so its part is 0. An absent mark costs 0 as
    well, and what it would have shown falls to the next part. Where a bridge or a bare opener came first, the
    time between ``first_audio`` and ``first_content`` that no later mark explains stands in ``output``: it
    was spent playing.
    """
    end = marks.get(Mark.SPEECH_END)
    audio, content = marks.get(Mark.FIRST_AUDIO), marks.get(Mark.FIRST_CONTENT)
    heard = content if audio is None else audio
    cut_in = end is not None and heard is not None and heard < end
    v2v = None if cut_in else _between(end, content)
    return Ledger(
        v2v_ms=v2v,
        onset_ms=None if cut_in else _between(end, audio),
        response_ms=_between(marks.get(Mark.TURN_END), content),
        endpoint_delay_ms=_between(end, marks.get(Mark.TURN_END)),
        parts_ms=None if v2v is None else _parts(marks),
    )


def _between(start: float | None, stop: float | None) -> float | None:
    return None if start is None or stop is None else stop - start


def _parts(marks: TurnMarks) -> Mapping[Part, float]:
    reached = marks[Mark.SPEECH_END]
    parts = {}
    for part, mark in _ENDS.items():
        until = max(reached, marks.get(mark, reached))
        parts[part] = until - reached
        reached = until
    return MappingProxyType(parts)


def whole_ms(value: float) -> int:
    """The nearest whole ms; a half goes up."""
    return math.floor(value + 0.5)


def whole_parts(parts_ms: Mapping[Part, float], total: int) -> dict[Part, int]:
    """Parts in whole ms that sum to ``total``, the rounded whole: the largest remainders are rounded up.

    Raises:
        ValueError: the parts do not add up to ``total`` within rounding, so they are not its parts.
    """
    floors = {part: math.floor(value) for part, value in parts_ms.items()}
    short = total - sum(floors.values())
    if not 0 <= short <= len(floors):
        raise ValueError(f"parts of {sum(parts_ms.values()):.3f} ms are not the parts of {total} ms")
    by_remainder = sorted(floors, key=lambda part: floors[part] - parts_ms[part])
    for part in by_remainder[:short]:
        floors[part] += 1
    return floors


def slowest_part(parts_ms: Mapping[Part, float]) -> Part:
    """The part that took longest; the earlier one of equals."""
    return max(Part, key=lambda part: parts_ms[part])


def budget_met(budget: BudgetConfig, onset_ms: float | None, v2v_ms: float | None) -> bool:
    """Whether a turn kept its budget. A turn in which nothing was heard did not."""
    if onset_ms is None or onset_ms > budget.budget_ms:
        return False
    limit = budget.content_budget_ms
    return limit is None or (v2v_ms is not None and v2v_ms <= limit)
