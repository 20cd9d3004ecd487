"""Everything that a run leaves behind for its readers, side by side in one folder."""

from __future__ import annotations

from pathlib import Path

from agent.report.csv_turns import write_csv
from agent.report.html import write_html
from agent.report.schema import Report
from agent.report.write import write_report


def write_all(report: Report, folder: Path) -> None:
    """Write ``report.json``, ``turns.csv`` and ``report.html``, the one that the others come from first.

    Raises:
        AgentError: the folder or a file cannot be written.
    """
    write_report(report, folder / "report.json")
    write_csv(report, folder / "turns.csv")
    write_html(report, folder / "report.html")
