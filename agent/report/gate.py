"""Conditions that a run has to keep, such as ``v2v_p95<=500,damaging<=0.02``. Pure.

A condition on something that was never counted is not kept: a run without a single answer is no quick run.
"""

from __future__ import annotations

import difflib
import math
import operator
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from agent.errors import AgentError
from agent.report.schema import Percentiles, Report, Summary

Unit = Literal["ms", "share", "count"]
Value = Callable[[Summary], float | None]

_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_CONDITION = re.compile(r"\s*([A-Za-z_0-9]+)\s*(<=|>=|<|>)\s*(\S+)\s*")
_EXAMPLE = 'Write it like "v2v_p95<=500,damaging<=0.02,missed<=0.01".'


@dataclass(frozen=True, slots=True)
class Key:
    """A figure that a condition may name."""

    unit: Unit
    value: Value


def _percentile(name: str, point: str) -> Key:
    def value(summary: Summary) -> float | None:
        found: Percentiles = getattr(summary, f"{name}_ms")
        point_ms: float | None = getattr(found, point)
        return point_ms

    return Key("ms", value)


def _within(limit: str) -> Key:
    return Key("share", lambda summary: summary.share_v2v_within[limit])


def _of(unit: Unit, name: str) -> Key:
    def value(summary: Summary) -> float | None:
        found: float | None = getattr(summary, name)
        return found

    return Key(unit, value)


KEYS: dict[str, Key] = {
    **{
        f"{name}_{point}": _percentile(name, point)
        for name in ("v2v", "onset", "response", "endpoint_delay")
        for point in ("p50", "p90", "p95", "p99")
    },
    **{f"within_{limit}": _within(limit) for limit in ("200", "300", "500", "800")},
    "budget_met": _of("share", "budget_met"),
    "cut_ins": _of("share", "cut_ins"),
    "damaging": _of("share", "damaging_cut_ins"),
    "missed": _of("share", "missed"),
    "hits": Key("share", lambda summary: summary.speculation.hits),
    "wer": _of("share", "wer"),
    **{
        name: _of("count", name)
        for name in (
            "turns",
            "answered",
            "overtaken",
            "interrupted",
            "stalls",
            "underruns",
            "unmatched",
            "failures",
        )
    },
    "longest_stall": Key("ms", lambda summary: summary.longest_stall_ms or 0),
    "lateness_p99": Key("ms", lambda summary: summary.lateness_ms.p99),
}
"""All keys. Shares lie in 0..1 and, but for ``within_*`` (turns with a V2V), are of all turns."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition of a gate, as it was written."""

    key: str
    sign: str
    limit: float

    def __str__(self) -> str:
        return f"{self.key}{self.sign}{self.limit:.12g}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a run kept a condition; ``found`` is None where nothing was counted."""

    condition: Condition
    found: float | None
    kept: bool

    @property
    def line(self) -> str:
        """The verdict for people, e.g. ``v2v_p95<=500: 675 ms``."""
        if self.found is None:
            return f"{self.condition}: nothing was counted"
        unit = " ms" if KEYS[self.condition.key].unit == "ms" else ""
        return f"{self.condition}: {self.found:g}{unit}"


def parse_gate(text: str) -> list[Condition]:
    """Read a gate: conditions with commas between them.

    Raises:
        AgentError: something in it is no condition, an unknown key, or a share that cannot be.
    """
    return [_condition(part) for part in text.split(",")]


def _condition(text: str) -> Condition:
    found = _CONDITION.fullmatch(text)
    if found is None:
        what = f"`{text.strip()}` is no condition" if text.strip() else "an empty condition"
        raise AgentError("gate.syntax", f"--gate: {what}.", _EXAMPLE)
    key, sign, number = found.groups()
    if key not in KEYS:
        raise AgentError("gate.key", f"--gate: there is no figure `{key}`.", _nearest(key))
    try:
        limit = float(number)
    except ValueError:
        limit = math.nan
    if not math.isfinite(limit):
        raise AgentError("gate.number", f"--gate: `{number}` in `{text.strip()}` is no number.", _EXAMPLE)
    if KEYS[key].unit == "share" and not 0 <= limit <= 1:
        raise AgentError(
            "gate.share",
            f"--gate: `{text.strip()}`: {key} is a share from 0 to 1.",
            f"{limit:g} % is {limit / 100:g}." if 1 < limit <= 100 else "",
        )
    return Condition(key, sign, limit)


def _nearest(key: str) -> str:
    close = difflib.get_close_matches(key.lower(), KEYS, n=3, cutoff=0.55)
    if close:
        return "Did you mean " + ", ".join(f"`{name}`" for name in close) + "?"
    return f"Known: {', '.join(KEYS)}."


def judge(report: Report, conditions: Iterable[Condition]) -> list[Verdict]:
    """Hold a run against its conditions, in their order."""
    verdicts = []
    for condition in conditions:
        found = KEYS[condition.key].value(report.summary)
        kept = found is not None and _OPERATORS[condition.sign](found, condition.limit)
        verdicts.append(Verdict(condition, found, kept))
    return verdicts


def check_gate(verdicts: Iterable[Verdict]) -> None:
    """Raise AgentError with exit code 1 and every line that was not kept; nothing if all were."""
    broken = [verdict.line for verdict in verdicts if not verdict.kept]
    if broken:
        raise AgentError("gate.failed", f"the gate failed: {'; '.join(broken)}.", exit_code=1)
