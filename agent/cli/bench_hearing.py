"""``main.py bench hearing``: partials, finals, word errors, noise and the cost of hearing."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

if TYPE_CHECKING:
    from agent.bench.hearing import HearingReport, Wanted
    from agent.config.load import Loaded

PARTS = ("live", "words", "noise")


def bench_hearing(
    folder: Annotated[Path, typer.Argument(help="Folder with utterances/ and noise/, each with index.json.")],
    calls: Annotated[
        list[Path] | None, typer.Option("--call", help="A recorded call to hear live. Can be repeated.")
    ] = None,
    seconds: Annotated[float, typer.Option(min=5.0, help="How much of each call is heard.")] = 60.0,
    noise_minutes: Annotated[float, typer.Option(min=2.0, help="Length of the made noise in all.")] = 5.0,
    part: Annotated[
        list[str] | None, typer.Option(help="live, words or noise. Can be repeated.", show_default="all")
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option("--config", "-c", help="Configuration.", show_default="configs/default.yaml"),
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change one key for this run.")
    ] = None,
    json_: Annotated[
        str | None,
        typer.Option("--json", metavar="-", help="`--json -` prints JSON, alone on the last line."),
    ] = None,
) -> None:
    """Measure hearing: live on utterances in a row and on calls, offline on single utterances and on noise."""
    from agent.bench.hearing import Wanted
    from agent.config.load import load
    from agent.errors import AgentError

    if json_ not in (None, "-"):
        raise AgentError("bench.json", f"--json {json_}: only `--json -` is known.", "")
    unknown = set(part or PARTS) - set(PARTS)
    if unknown:
        raise AgentError(
            "bench.part", f"There is no part {sorted(unknown)[0]!r}.", f"Choose from {', '.join(PARTS)}."
        )
    for name in ("utterances", "noise"):
        if not (folder / name).is_dir():
            raise AgentError(
                "bench.folder", f"{folder} has no folder {name}.", "Name the folder of recorded calls."
            )
    wanted = Wanted(folder, tuple(calls or ()), seconds, noise_minutes, frozenset(part or PARTS))
    report = _measure(load(config, set_ or []), wanted)
    if json_:
        sys.stdout.write(json.dumps(report) + "\n")
    else:
        from agent.cli.bench_hearing_view import show

        show(report, Console())


def _measure(loaded: Loaded, wanted: Wanted) -> HearingReport:
    import asyncio

    from agent.app import build
    from agent.bench.hearing import measure

    err = Console(stderr=True)

    async def run() -> HearingReport:
        session = await build(loaded, err.print)
        try:
            return await measure(session, wanted, err.print)
        finally:
            session.close()

    return asyncio.run(run())
