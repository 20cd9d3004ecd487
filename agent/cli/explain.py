"""``main.py explain``: why a turn went as it did."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console


def explain(
    report: Annotated[
        Path, typer.Argument(help="A report.json of `replay` or `talk`, or its folder.", show_default=False)
    ],
    turn: Annotated[
        int | None,
        typer.Option("--turn", "-t", min=0, help="The turn's number in the report. None: the slowest one."),
    ] = None,
    call: Annotated[
        str | None, typer.Option("--call", help="The call, where the report holds several.")
    ] = None,
    json_: Annotated[
        str | None,
        typer.Option("--json", metavar="-", help="`--json -` prints the turn's row as one JSON line."),
    ] = None,
) -> None:
    """Tell one turn in order: its marks, what was foretold, what was chosen and why, and what would have been best."""
    from agent.cli.replay import output_width
    from agent.errors import AgentError
    from agent.report.compare_read import read_report
    from agent.report.told import find, tell

    if json_ not in (None, "-"):
        raise AgentError(
            "explain.json", f"--json {json_}: only `--json -` is known.", "Redirect it to a file."
        )
    read = read_report(report)
    of = [one for one in read.turns if call in (None, one.call)]
    if call is not None and not of:
        names = ", ".join(one.call for one in read.calls)
        raise AgentError("explain.call", f"--call {call}: not in {report}.", f"It holds {names}.")
    if not of:
        raise AgentError(
            "explain.empty", f"{report} holds no turn.", "Give the report of a call that was heard."
        )
    found = [max(of, key=lambda one: one.v2v_ms or -1)] if turn is None else find(read, turn, call)
    if not found:
        last = max(one.turn for one in of)
        raise AgentError("explain.turn", f"--turn {turn}: not in {report}.", f"Its turns are 0 to {last}.")
    if len(found) > 1:
        names = ", ".join(one.call for one in found)
        raise AgentError(
            "explain.calls", f"--turn {turn} is in several calls: {names}.", "Choose one with --call."
        )
    if json_:
        sys.stdout.write(found[0].model_dump_json() + "\n")
        return
    console = Console(width=output_width())
    for part in tell(found[0]):
        console.print(part)
