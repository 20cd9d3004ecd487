"""From finished runs to one table: every agent over all its turns, and ours against the best stock setting. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agent.bench.peer_run import Done
from agent.bench.peer_systems import SHARED, System
from agent.report.compare_statistics import ROUNDS
from agent.report.schema import Summary, Turn
from agent.report.summary import summarise_rows

OURS, STOCK = "ours", "pipecat"
WANTED_SHARE = 0.25
"""Our p50 is to be at most this share of the best stock setting's."""


@dataclass(frozen=True)
class Row:
    """One agent over all its runs."""

    system: System
    runs: int
    summary: Summary
    v2v_ms: tuple[float, ...]
    found: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class Against:
    """Ours against another agent. ``ratio``: our V2V p50 as a share of its; ``low`` and ``high``: its 95 % interval.

    ``quarter``: whether ours takes at most a quarter of it, at no more cut-ins.
    """

    system: str
    ratio: float
    low: float
    high: float
    quarter: bool


def rows(systems: Sequence[System], done: Sequence[Done]) -> list[Row]:
    """One row for each agent that has a run, in the order of ``systems``."""
    found = []
    for system in systems:
        own = [one for one in done if one.system == system.name]
        if not own:
            continue
        turns: list[Turn] = [turn for one in own for turn in one.report.turns]
        unmatched = [row for one in own for row in one.report.unmatched]
        failures = [failure for one in own for failure in one.report.failures]
        found.append(
            Row(
                system=system,
                runs=len(own),
                summary=summarise_rows(turns, unmatched, failures, [], None),
                v2v_ms=tuple(float(turn.v2v_ms) for turn in turns if turn.v2v_ms is not None),
                found=tuple(one.found for one in own if one.found),
            )
        )
    return found


def against(table: Sequence[Row]) -> list[Against]:
    """Ours against every other agent, the quickest first; empty without ours."""
    ours = next((row for row in table if row.system.name == OURS and row.v2v_ms), None)
    others = [row for row in table if row.system.kind != OURS and row.v2v_ms]
    return [] if ours is None else [_against(ours, row) for row in sorted(others, key=_p50)]


def best_stock(table: Sequence[Row], found: Sequence[Against]) -> Against | None:
    """The one with the stock setting that has the lowest p50."""
    stock = [row.system.name for row in table if row.system.kind == STOCK]
    return next((one for one in found if one.system in stock), None)


def _against(ours: Row, other: Row) -> Against:
    ratio = _p50(ours) / _p50(other)
    low, high = np.percentile(_medians(ours, 1) / _medians(other, 2), (2.5, 97.5))
    fewer = (ours.summary.cut_ins or 0.0) <= (other.summary.cut_ins or 0.0)
    return Against(other.system.name, ratio, float(low), float(high), ratio <= WANTED_SHARE and fewer)


def _p50(row: Row) -> float:
    return float(np.median(row.v2v_ms))


def _medians(row: Row, seed: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The median of each bootstrap round over the row's turns, which are drawn anew for each row."""
    values = np.array(row.v2v_ms)
    drawn = np.random.default_rng(seed).integers(0, len(values), (ROUNDS, len(values)))
    found: np.ndarray[Any, np.dtype[np.float64]] = np.median(values[drawn], axis=1)
    return found


def document(table: Sequence[Row], machine: dict[str, Any]) -> dict[str, Any]:
    """All of it as plain JSON data."""
    return {
        "schema": 1,
        "machine": machine,
        "shared": list(SHARED),
        "systems": [
            {
                "system": row.system.name,
                "kind": row.system.kind,
                "settings": list(row.system.settings),
                "found": list(row.found),
                "runs": row.runs,
                "summary": row.summary.model_dump(mode="json"),
            }
            for row in table
        ],
        "ours_against": [vars(one) for one in against(table)],
    }
