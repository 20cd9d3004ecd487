"""``main.py compare``: what got better, what got worse, and what is noise."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console


def compare(
    reports: Annotated[
        list[Path],
        typer.Argument(
            help="Two or more report.json files, or folders that hold one; the first is what the others are held to.",
            show_default=False,
        ),
    ],
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write the comparison as a page too.")
    ] = None,
    json_: Annotated[
        str | None,
        typer.Option("--json", metavar="-", help="`--json -` prints it as JSON, alone on the last line."),
    ] = None,
) -> None:
    """Compare runs of the same calls, paired by turn.

    Every difference comes with its 95 % interval; one whose interval holds 0 is noise and never claimed.
    """
    from agent.cli.replay import output_width
    from agent.errors import AgentError
    from agent.report.compare import compare as hold
    from agent.report.compare_html import write_comparison
    from agent.report.compare_read import read_report
    from agent.report.compare_table import print_comparison

    if json_ not in (None, "-"):
        raise AgentError(
            "compare.json", f"--json {json_}: only `--json -` is known.", "Redirect it to a file."
        )
    if len(reports) < 2:
        raise AgentError("compare.one", "one report alone is no comparison.", "Give two or more.")
    found = hold([(str(path), read_report(path)) for path in reports])
    for other in found.others:
        if not other.pairs:
            raise AgentError(
                "compare.pairs",
                f"{found.first} and {other.name} have no turn in common.",
                "Compare replays of the same calls.",
            )
    print_comparison(found, Console(width=output_width()))
    if html is not None:
        write_comparison(found, html)
    if json_:
        sys.stdout.write(found.model_dump_json() + "\n")
