"""Reads the reports that a comparison is made of, and says what sets them apart besides their figures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError

from agent.errors import AgentError
from agent.report.schema import Report


def read_report(path: Path) -> Report:
    """The report at ``path``: a report.json, or the folder that one lies in.

    Raises:
        AgentError: the file cannot be read, or is no report.
    """
    file = path / "report.json" if path.is_dir() else path
    hint = "Give the report.json of a replay, or its folder."
    try:
        return Report.model_validate_json(file.read_bytes())
    except OSError as error:
        raise AgentError("report.unreadable", f"{file} cannot be read: {error.strerror}.", hint) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(step) for step in first["loc"])
        at = f"{where}: " if where else ""
        raise AgentError("report.no_report", f"{file} is no report: {at}{first['msg']}.", hint) from error


_SAME: dict[str, Callable[[Report], object]] = {
    "configuration": lambda report: report.config.sha256[:8],
    "processor": lambda report: f"{report.machine.cpu}, {report.machine.cores} cores",
    "libraries": lambda report: ", ".join(f"{a} {b}" for a, b in sorted(report.machine.libraries.items())),
    "budget": lambda report: f"{report.config.budget_ms:g} ms",
    "gaps": lambda report: (
        "kept" if report.replay.max_gap_s is None else f"cut to {report.replay.max_gap_s:g} s"
    ),
    "calls at once": lambda report: str(report.replay.jobs),
    "turn ends": lambda report: ", ".join(sorted({call.speech_end_source for call in report.calls})),
}


def apart(one: Report, two: Report) -> list[str]:
    """What is not the same in two runs, each as a line; a comparison is read with these in mind."""
    return [f"{what}: {told(one)} | {told(two)}" for what, told in _SAME.items() if told(one) != told(two)]
