"""What one replayed call gave, as data: kept on disk, so that a run over many calls can go on where it stopped."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from agent.report.build import CallFacts
from agent.report.facts import Failure, ObserverReading, Section
from agent.report.turns import Turn, UnmatchedRow
from agent.report.write import write_whole


class CallResult(Section):
    """Everything that a call adds to a run's report.

    Attributes:
        fingerprint: names the call's files, the configuration and the machine that it comes from.
        facts: the call itself.
    """

    fingerprint: str
    facts: CallFacts
    turns: list[Turn]
    unmatched: list[UnmatchedRow]
    failures: list[Failure]
    observer_ms: list[ObserverReading]


def write_result(result: CallResult, path: Path) -> None:
    """Keep a result, in one step. Raises AgentError if it cannot be written."""
    write_whole(path, result.model_dump_json() + "\n")


def read_result(path: Path, fingerprint: str) -> CallResult | None:
    """The result kept at ``path``; None if there is none, or one of other files, settings or another machine."""
    try:
        result = CallResult.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None
    return result if result.fingerprint == fingerprint else None
