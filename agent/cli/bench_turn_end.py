"""``main.py bench turn-end``: dead air against cut-ins on labelled calls."""

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
    from agent.bench.turn_end import Outcome
    from agent.bench.turn_end_score import Curve, Score


WIDTH = 150
"""Of the tables, where they go into a file or a pipe."""


def bench_turn_end(
    calls: Annotated[
        list[Path], typer.Argument(help="Labelled calls: NAME.call.json files.", show_default=False)
    ],
    config: Annotated[
        Path | None,
        typer.Option("--config", "-c", help="Configuration.", show_default="configs/default.yaml"),
    ] = None,
    min_hold_ms: Annotated[
        float,
        typer.Option(help="Shortest silence that counts as a hold; cut-ins in shorter ones are shown apart."),
    ] = 200.0,
    weights: Annotated[
        Path | None, typer.Option(help="Other weights of the fused model.", show_default="the shipped ones")
    ] = None,
    rows: Annotated[
        Path | None, typer.Option(help="Write the silences as numbers, for tools/train_turn_end.py.")
    ] = None,
    json_: Annotated[
        str | None, typer.Option("--json", metavar="-", help="`--json -` prints one JSON line at the end.")
    ] = None,
) -> None:
    """Walk every silence of labelled calls and compare ways of telling a pause from the turn's end.

    Not in real time: the models are asked as the live agent asks them, their answers count from when they would be
    there, and are kept on disk, so that a second run takes seconds. Calls that the shipped weights were trained on
    are judged by weights that never saw them. Recorded and made calls are shown apart.
    """
    from agent.bench.turn_end import compare
    from agent.bench.turn_end_fused import load_held_out
    from agent.bench.turn_end_load import ask_all, write_rows
    from agent.config.load import load
    from agent.errors import AgentError

    if json_ not in (None, "-"):
        raise AgentError("bench.json", f"--json {json_}: only `--json -` is known.", "Give `--json -`.")
    settings = load(config, []).config
    notes = Console(stderr=True)
    groups = ask_all(calls, settings, lambda line: notes.print(line, highlight=False, markup=False))
    if rows is not None:
        write_rows(rows, groups)
    held_out = load_held_out(weights)
    ends = settings.endpoint
    outcomes = [
        compare(
            name, group, held_out, ends.sound_hold_ms,
            cut_ins=ends.cut_ins, timeout_ms=ends.timeout_ms,
            least_ms=ends.least_ms, min_hold_ms=min_hold_ms,
        )
        for name, group in groups.items()
    ]  # fmt: skip
    screen = Console() if sys.stdout.isatty() else Console(width=WIDTH)
    for outcome in outcomes:
        show(outcome, screen, min_hold_ms)
    if json_:
        whole: dict[str, Any] = {"schema": 1, "groups": [one.as_json() for one in outcomes]}
        sys.stdout.write(json.dumps(whole) + "\n")


def show(outcome: Outcome, screen: Console, min_hold_ms: float) -> None:
    """The two tables of one group."""
    screen.print(
        f"\n{outcome.group}: {outcome.calls} calls, {outcome.shifts} shifts, {outcome.holds} holds of "
        f"{min_hold_ms:.0f} ms and more; 95 % intervals (Wilson; curve: {outcome.resampled} resampled)",
        highlight=False,
    )
    table = Table()
    for title in ("way of deciding", "mean", "p50", "p90", "p95", "cut-ins at holds", "in shorter pauses"):
        table.add_column(title, justify="left" if title.startswith("way") else "right")
    for one in outcome.scores:
        table.add_row(*_score_row(one))
    screen.print(table)
    screen.print("Milliseconds from the labelled end of the turn to the decision.", highlight=False)
    table = Table()
    titles = [f"dead air at {share:.0%}" for share in outcome.curves[0].dead_air_ms]
    titles += [f"cut-ins at {mean:.0f} ms" for mean in outcome.curves[0].cut_ins]
    for title in ("best of", *titles):
        table.add_column(title, justify="left" if title == "best of" else "right")
    for curve in outcome.curves:
        table.add_row(*_curve_row(curve))
    screen.print(table)


def _score_row(one: Score) -> Sequence[str]:
    delay, cut = one.delay, one.cut_ins
    times = [f"{v:.0f}" if v is not None else "-" for v in (one.mean_ms, delay.p50, delay.p90, delay.p95)]
    if cut.value is None or cut.low is None or cut.high is None:
        return [one.name, *times, "-", str(one.short_cut_ins)]
    spread = f"{cut.value:.1%} ({cut.low:.0%}-{cut.high:.0%})"
    return [one.name, *times, spread, str(one.short_cut_ins)]


def _curve_row(curve: Curve) -> Sequence[str]:
    cells = [curve.name]
    for point in curve.dead_air_ms.values():
        spread = "" if point.low is None else f" ({point.low:.0f}-{point.high:.0f})"
        cells.append("-" if point.value is None else f"{point.value:.0f}{spread}")
    for point in curve.cut_ins.values():
        spread = "" if point.low is None else f" ({point.low:.0%}-{point.high:.0%})"
        cells.append("-" if point.value is None else f"{point.value:.1%}{spread}")
    return cells
