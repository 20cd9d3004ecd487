"""What a search found, as it stands in ``tune.json``, and the configuration that it wrote."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from agent.config.load import Loaded
from agent.config.template import render
from agent.report.compare import Comparison
from agent.report.compare_table import claims
from agent.report.facts import Machine, Section
from agent.report.write import write_whole
from agent.tune.live import Figures

RESULT, BEST = "tune.json", "best.yaml"
Kept = Literal["tuned", "own"]


class Point(Section):
    """Settings that were judged. Shares are of the callers' turns."""

    settings: dict[str, Any]
    waited_ms: float
    within: float
    cut_ins: float
    quality: float | None = None
    cpu: float | None = None
    front: bool = Field(False, description="no other point is better in every way")


class Change(Section):
    """A key that was changed."""

    key: str
    before: Any
    after: Any


class TuneResult(Section):
    """The whole document; what was not reached yet is null or empty."""

    schema_version: Literal[1] = Field(1, alias="schema")
    finished: bool
    budget_ms: float
    cut_ins: float = Field(description="the share of turns with a cut-in that is accepted")
    searched: list[str] = Field(description="calls that the search has seen")
    held_back: list[str] = Field(description="calls that only confirm; empty: there was but one call")
    trial_calls: list[str] = Field(description="the searched calls that each trial replays")
    own: dict[str, Any] = Field(description="the searched keys as they were")
    before: Figures | None = Field(description="those calls replayed with the settings as they were")
    exact: list[Point] = Field(description="turn-end settings, judged on the recorded silences")
    live: list[Point] = Field(description="all other settings, judged by replays")
    expected: list[Point] = Field(description="held-back silences: the settings before and after")
    changes: list[Change]
    kept: Kept = Field(description="tuned: best.yaml holds the changes; own: it holds what was there before")
    why: str
    confirmed: Comparison | None = Field(description="real replays of the held-back calls, before and after")
    config_sha256: str
    machine: Machine


def write_result(result: TuneResult, best: Loaded, out: Path) -> None:
    """Write both files, each in one step. ``best``: the configuration to write. Raises AgentError."""
    write_whole(out / RESULT, result.model_dump_json(indent=1) + "\n")
    head = "".join(f"# {line}\n" for line in heading(result))
    write_whole(out / BEST, f"{head}\n{render(best.config)}")


def told(point: Point, own: Mapping[str, Any]) -> str:
    """What a point changes, as ``--set`` takes it."""
    changes = [f"{key}={value}" for key, value in point.settings.items() if own.get(key) != value]
    return " ".join(changes) or "as they were"


def heading(result: TuneResult) -> Iterator[str]:
    """What the written configuration is, line by line."""
    yield f"Written by `tune`: budget {result.budget_ms:g} ms, cut-ins up to {100 * result.cut_ins:g} %."
    yield f"Searched on {len(result.searched)} calls, {_held_back(result)}."
    yield result.why
    if result.kept == "tuned":
        yield from (f"  {change.key}: {change.before} -> {change.after}" for change in result.changes)
    for other in result.confirmed.others if result.confirmed else []:
        yield f"Replays of {'the held-back' if result.held_back else 'the same'} calls, {other.pairs} turns,"
        yield f"  better: {claims(other, 'better')}"
        yield f"  worse: {claims(other, 'worse')}"


def _held_back(result: TuneResult) -> str:
    if not result.held_back:
        return "none held back: what it gains is flattered"
    return f"{len(result.held_back)} held back to confirm"
