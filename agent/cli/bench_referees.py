"""``main.py bench referees``: other people's tools on our recordings."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from agent.bench.referees import Check


def bench_referees(
    runs: Annotated[
        list[Path],
        typer.Argument(
            help="Folders of replays: report.json and the recordings beside it.", show_default=False
        ),
    ],
    json_: Annotated[
        str | None, typer.Option("--json", metavar="-", help="`--json -` prints one JSON line at the end.")
    ] = None,
) -> None:
    """Compare waits, overlaps and yields of a run with hotato, voicebench and voice-evals.

    They hear nothing but the recording (left: the caller, right: the agent) and are told when each turn was said. A
    difference of more than 50 ms is explained.
    """
    from agent.bench.referees_tools import check_call, versions
    from agent.errors import AgentError
    from agent.report.compare_read import read_report

    if json_ not in (None, "-"):
        raise AgentError("bench.json", f"--json {json_}: only `--json -` is known.", "Give `--json -`.")
    tools, document = versions(), list[dict[str, Any]]()
    screen = Console(width=max(Console().width, 130))
    screen.print(", ".join(f"{name} {number}" for name, number in tools.items()), highlight=False)
    for folder in runs:
        report = read_report(folder / "report.json" if folder.is_dir() else folder)
        beside = folder if folder.is_dir() else folder.parent
        for call in report.calls:
            if call.recording is None:
                raise AgentError(
                    "bench.recording", f"{folder}: {call.call} has no recording.", "Replay it again."
                )
            checks, told = check_call(report, call.call, beside / call.recording)
            show(call.call, checks, told, screen)
            document.append({"call": call.call, "told": told, "checks": [_plain(one) for one in checks]})
    if json_:
        sys.stdout.write(json.dumps({"schema": 1, "tools": tools, "calls": document}) + "\n")


def show(call: str, checks: Sequence[Check], told: Sequence[str], screen: Console) -> None:
    """A line a figure, then how many agree and why the others do not."""
    table = Table(title=call, title_justify="left")
    for title in ("tool", "figure", "turn", "ours ms", "theirs ms", "difference"):
        table.add_column(title, justify="left" if title in ("tool", "figure") else "right", no_wrap=True)
    for one in checks:
        table.add_row(
            one.tool,
            one.figure,
            "" if one.turn is None else str(one.turn),
            f"{one.ours_ms:.0f}",
            "-" if one.theirs_ms is None else f"{one.theirs_ms:.0f}",
            "-" if one.difference_ms is None else f"{one.difference_ms:+.0f}{'' if one.agrees else ' *'}",
        )
    screen.print(table)
    agree = sum(one.agrees for one in checks)
    screen.print(f"{agree} of {len(checks)} within 50 ms. {'; '.join(told)}.", highlight=False)
    for one in checks:
        if not one.agrees:
            where = "" if one.turn is None else f", turn {one.turn}"
            screen.print(f"* {one.tool}, {one.figure}{where}: {one.why}", highlight=False, markup=False)


def _plain(one: Check) -> dict[str, Any]:
    return {**vars(one), "difference_ms": one.difference_ms, "agrees": one.agrees}
