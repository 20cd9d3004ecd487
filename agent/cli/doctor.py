"""`doctor`: check this machine and say what to do."""

from __future__ import annotations

import dataclasses
import json
from typing import Annotated

import typer

from agent.doctor.check import Check
from agent.doctor.examine import examine
from agent.errors import AgentError
from agent.models.store import Store

_COLOURS = {"ok": "green", "note": "yellow", "fault": "red"}


def doctor(
    json_out: Annotated[
        str | None, typer.Option("--json", metavar="-", help="Print one JSON document on stdout.")
    ] = None,
) -> None:
    """Check this machine: processor, memory, disk, llama.cpp, models, audio. Ends with 3 if there is a fault."""
    if json_out not in (None, "-"):
        raise AgentError("usage", f"--json takes -, not {json_out}.", "It prints on stdout; redirect it.")
    checks = examine(Store())
    faults = sum(check.state == "fault" for check in checks)
    if json_out:
        typer.echo(json.dumps({"ok": faults == 0, "checks": [dataclasses.asdict(check) for check in checks]}))
    else:
        _table(checks)
    if faults:
        raise typer.Exit(3)


def _table(checks: list[Check]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for column in ("check", "state", "found"):
        table.add_column(column)
    for check in checks:
        state = f"[{_COLOURS[check.state]}]{check.state}[/]"
        found = check.found if not check.fix else f"{check.found}\n-> {check.fix}"
        table.add_row(check.name, state, found)
    Console().print(table, highlight=False)
