"""From finished runs to one table: every agent over all its turns, and ours against the best stock setting. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agent.bench.peer_run import Done
from agent.bench.peer_systems import SHARED, System
from agent.report.compare_statistics import Resampler
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
    calls: tuple[str, ...]
    found: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class Verdict:
    """Ours against the stock setting with the lowest V2V p50. ``low`` and ``high``: 95 % of the ratio of the p50s."""

    stock: str
    ratio: float
    low: float
    high: float
    cut_ins: float
    stock_cut_ins: float

    @property
    def kept(self) -> bool:
        """Whether ours is quick enough at no more cut-ins."""
        return self.ratio <= WANTED_SHARE and self.cut_ins <= self.stock_cut_ins


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
        timed = [turn for turn in turns if turn.v2v_ms is not None]
        found.append(
            Row(
                system=system,
                runs=len(own),
                summary=summarise_rows(turns, unmatched, failures, [], None),
                v2v_ms=tuple(float(turn.v2v_ms or 0) for turn in timed),
                calls=tuple(turn.call for turn in timed),
                found=tuple(one.found for one in own if one.found),
            )
        )
    return found


def verdict(table: Sequence[Row]) -> Verdict | None:
    """Ours against the best stock setting; None without both."""
    ours = next((row for row in table if row.system.name == OURS and row.v2v_ms), None)
    stocks = [row for row in table if row.system.kind == STOCK and row.v2v_ms]
    if ours is None or not stocks:
        return None
    best = min(stocks, key=lambda row: row.summary.v2v_ms.p50 or 0.0)
    rounds = _medians(ours) / _medians(best)
    low, high = np.percentile(rounds, (2.5, 97.5))
    return Verdict(
        stock=best.system.name,
        ratio=float(np.median(ours.v2v_ms) / np.median(best.v2v_ms)),
        low=float(low),
        high=float(high),
        cut_ins=ours.summary.cut_ins or 0.0,
        stock_cut_ins=best.summary.cut_ins or 0.0,
    )


def _medians(row: Row) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The median of each bootstrap round over the row's turns."""
    return Resampler(row.calls).percentiles(np.array(row.v2v_ms, dtype=np.float64), 50.0)


def document(table: Sequence[Row], told: Verdict | None, machine: dict[str, Any]) -> dict[str, Any]:
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
        "ours_against_stock": None if told is None else {**vars(told), "kept": told.kept},
    }
