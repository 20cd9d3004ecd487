"""``main.py replay``: recorded calls in, a latency report out."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

if TYPE_CHECKING:
    from agent.cli.replay_view import ReplayView
    from agent.config.load import Loaded
    from agent.replay.sources import Item

FILE_WIDTH = 120
"""Columns of the table in a file or a pipe: rich would take 80, in which few words of a turn can be read."""


def output_width() -> int | None:
    """How wide to print; None leaves it to the terminal, or to COLUMNS."""
    return None if sys.stdout.isatty() or "COLUMNS" in os.environ else FILE_WIDTH


def replay(
    calls: Annotated[
        list[Path],
        typer.Argument(
            help="Recordings (mono: the caller; stereo: with --caller-channel), NAME.call.json files, or one folder "
            "of them.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder for the results.", show_default="out/CALL")
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option("--config", "-c", help="Configuration.", show_default="configs/default.yaml"),
    ] = None,
    persona: Annotated[
        str | None, typer.Option("--persona", "-p", help="Who answers, instead of the configuration's.")
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change one key for this run. Can be repeated."),
    ] = None,
    caller_channel: Annotated[
        int | None, typer.Option(help="The caller's channel of a stereo recording, from 0.")
    ] = None,
    keep_gaps: Annotated[
        bool,
        typer.Option("--keep-gaps", help="Feed long silences whole instead of replay.max_gap_s of them."),
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="A folder: replay the calls too that have a result already.")
    ] = False,
    jobs: Annotated[
        int,
        typer.Option(
            "--jobs",
            "-j",
            min=1,
            max=64,
            help="A folder: replay so many calls at once. They slow each other down, and the report says so: for "
            "quality and turn taking, not for latency.",
        ),
    ] = 1,
    gate: Annotated[
        str | None,
        typer.Option(
            "--gate",
            metavar="CONDITIONS",
            help='End with 1 unless all are kept, e.g. "v2v_p95<=500,damaging<=0.02" (docs/tuning.md).',
        ),
    ] = None,
    junit: Annotated[
        Path | None, typer.Option("--junit", metavar="FILE", help="Write the gate's verdicts as JUnit XML.")
    ] = None,
    json_: Annotated[
        str | None,
        typer.Option(
            "--json", metavar="-", help="`--json -` prints the report as JSON, alone on the last line."
        ),
    ] = None,
) -> None:
    """Replay recorded calls in real time through the whole agent and measure every turn.

    Each caller turn is heard, answered and spoken as through a microphone. Written to the output folder:
    report.html (for people), report.json (docs/latency.md), turns.csv, turns.jsonl (a line as each turn
    finishes) and call.wav (left: the caller, right: the agent). Ctrl-C stops at once and keeps the turns that
    were finished.

    A folder is replayed call by call, each into NAME.wav and calls/NAME.json; the same command goes on where it was
    stopped. Only results of the same files, configuration and machine count.
    """
    import asyncio

    from agent.cli.replay_view import ReplayView
    from agent.config.load import load
    from agent.errors import AgentError
    from agent.replay.replay import replay as run_replay
    from agent.report.gate import check_gate, judge, parse_gate
    from agent.report.junit import write_junit
    from agent.report.table import print_report
    from agent.stop import INTERRUPTED

    if json_ not in (None, "-"):
        raise AgentError(
            "replay.json", f"--json {json_}: only `--json -` is known.", "report.json is in --out."
        )
    conditions = parse_gate(gate) if gate is not None else []
    if junit is not None and not conditions:
        raise AgentError(
            "replay.junit", "--junit has no verdicts to write.", "Give the conditions with --gate."
        )
    overrides = [*(set_ or []), *([f"persona={persona}"] if persona else [])]
    loaded = load(config, overrides)
    view = ReplayView(Console(stderr=True))
    for note in loaded.notes:
        view.say(note)
    gap = None if keep_gaps else loaded.config.replay.max_gap_s
    if calls[0].is_dir():
        folder = out or loaded.config.paths.out / calls[0].resolve().name
        items = _folder(calls, folder, loaded, gap, caller_channel, again, jobs, view)
    elif jobs > 1:
        raise AgentError("replay.jobs", f"--jobs {jobs}: {calls[0]} is no folder.", "Give a folder of calls.")
    else:
        items, name = _files(calls, caller_channel, view)
        folder = out or loaded.config.paths.out / name
    with view:
        outcome = asyncio.run(run_replay(items, loaded, folder, view, max_gap_s=gap, jobs=jobs))
    console = Console(width=output_width())
    print_report(outcome.report, console)
    console.print(
        f"Written: {folder}/report.html, report.json, turns.csv and the recording.", highlight=False
    )
    if json_:
        sys.stdout.write(outcome.report.to_json() + "\n")
    if not outcome.finished:
        view.say("Stopped before the end: the report holds the turns that were finished.")
        raise typer.Exit(INTERRUPTED)
    verdicts = judge(outcome.report, conditions)
    for verdict in verdicts:
        view.say(f"gate {'kept  ' if verdict.kept else 'FAILED'} {verdict.line}")
    if junit is not None:
        write_junit(outcome.report, verdicts, junit)
    check_gate(verdicts)


def _files(paths: list[Path], channel: int | None, view: ReplayView) -> tuple[list[Item], str]:
    """Read the calls that were named, all before the first is replayed; also the first one's name."""
    from agent.calls.load import load_call
    from agent.errors import AgentError
    from agent.replay.sources import from_files

    recordings = []
    for path in paths:
        if path.is_dir():
            raise AgentError(
                "replay.folder", f"{path} is a folder among files.", "Give one folder, or files."
            )
        view.say(f"Reading {path} ...")
        recordings.append(load_call(path, channel))
    return from_files(recordings), recordings[0].call.name


def _folder(
    paths: list[Path],
    out: Path,
    loaded: Loaded,
    max_gap_s: float | None,
    channel: int | None,
    again: bool,
    jobs: int,
    view: ReplayView,
) -> list[Item]:
    """Find the calls of a folder and say what is left to do."""
    from agent.errors import AgentError
    from agent.replay.result import CallResult
    from agent.replay.sources import Todo, from_folder
    from agent.report.facts import Failure

    if len(paths) > 1:
        raise AgentError(
            "replay.folder", f"{paths[0]} is not all that is given.", "Give one folder, or files."
        )
    items = from_folder(paths[0], out, loaded, max_gap_s=max_gap_s, channel=channel, again=again, jobs=jobs)
    for item in items:
        if isinstance(item, Failure):
            view.say(f"left out: {item.message}")
    due, kept = (sum(isinstance(item, kind) for item in items) for kind in (Todo, CallResult))
    there = f", {kept} have their result already (--again replays them)" if kept else ""
    view.say(f"{paths[0]}: {due} calls to replay{there}.")
    return items
