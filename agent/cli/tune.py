"""``main.py tune``: the configuration that suits a set of calls."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console


def tune(
    calls: Annotated[
        list[Path],
        typer.Argument(
            help="Calls: NAME.call.json files or recordings of the caller, or folders of them.",
            show_default=False,
        ),
    ],
    budget: Annotated[
        float | None,
        typer.Option(help="Milliseconds in which a turn shall be answered.", show_default="budget.budget_ms"),
    ] = None,
    cut_ins: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Share of turns that may be cut into, 0 to 1.")
    ] = 0.03,
    trials: Annotated[
        int,
        typer.Option(min=1, max=1000, help="Replays to try other settings in; each lasts up to 3 minutes."),
    ] = 12,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the results.")] = Path("out/tune"),
    config: Annotated[
        Path | None,
        typer.Option(
            "--config", "-c", help="Configuration to begin from.", show_default="configs/default.yaml"
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Change one key for the whole search. Can be repeated."
        ),
    ] = None,
    json_: Annotated[
        str | None,
        typer.Option(
            "--json", metavar="-", help="`--json -` prints the result as JSON, alone on the last line."
        ),
    ] = None,
) -> None:
    """Search the settings that answer most turns within the budget and keep the limit on cut-ins.

    The turn end is searched on the calls' recorded silences, which is exact and takes seconds; recognition,
    the controller, threads and pieces of speech are searched in real replays. Every third call (of fewer than four the
    last) is held back, and replayed with the old and the new settings to confirm. Written to the output folder:
    best.yaml (a commented configuration for --config), tune.html (the Pareto front), tune.json and every replay.

    Ctrl-C keeps the best so far; the same command goes on from there.
    """
    from agent.cli.replay import output_width
    from agent.cli.tune_view import TuneView, print_result
    from agent.errors import AgentError
    from agent.replay.sources import calls_in
    from agent.stop import INTERRUPTED
    from agent.tune.run import tune as search
    from agent.tune.task import Task

    if json_ not in (None, "-"):
        raise AgentError("tune.json", f"--json {json_}: only `--json -` is known.", "tune.json is in --out.")
    sets = [*(set_ or []), *([f"budget.budget_ms={budget:g}"] if budget is not None else [])]
    paths = [path for given in calls for path in (calls_in(given) if given.is_dir() else [given])]
    if not paths:
        raise AgentError(
            "tune.no_calls", f"{calls[0]} holds no call.", "Give .call.json files or recordings."
        )
    view = TuneView(Console(stderr=True))
    with view:
        result = search(Task(paths, config, sets, cut_ins, trials, out), view)
    print_result(result, Console(width=output_width()))
    sys.stdout.write(f"Written: {out}/best.yaml, tune.html and tune.json.\n")
    if json_:
        sys.stdout.write(result.model_dump_json() + "\n")
    if not result.finished:
        view.say("Stopped before the end: this is the best so far. The same command goes on from here.")
        raise typer.Exit(INTERRUPTED)
