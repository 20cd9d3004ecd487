"""``main.py bench peer``: other voice agents on the same calls, by the same clock."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from agent.bench.peer_run import Done, Runner
    from agent.bench.peer_steps import Step
    from agent.bench.peer_systems import System
    from agent.bench.peer_table import Row
    from agent.config.load import Loaded

START_UP_S = 20.0
"""Loading models and server, warming up, and the silence behind the call: what a run takes besides the call."""


def bench_peer(
    calls: Annotated[
        list[Path], typer.Argument(help="NAME.call.json files, or recordings.", show_default=False)
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder of the runs.")] = Path("out/peer"),
    rounds: Annotated[int, typer.Option(min=1, max=100, help="Times that each agent gets each call.")] = 1,
    system: Annotated[
        list[str] | None,
        typer.Option("--system", help="Only this agent; may be given again. None: all.", show_default=False),
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(min=1.0, help="Begin no run that would end later than this; the next time goes on."),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Run what has a result already.")] = False,
    caller_channel: Annotated[
        int | None, typer.Option(help="The caller's channel of stereo recordings, from 0.")
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option("--config", "-c", help="Configuration.", show_default="configs/default.yaml"),
    ] = None,
    json_: Annotated[
        str | None, typer.Option("--json", metavar="-", help="`--json -` prints one JSON line at the end.")
    ] = None,
) -> None:
    """Our agent, stock pipecat, pipecat tuned as documented, and LiveKit Agents: same calls, models and machine.

    Each run is a process of its own, one after the other, the agents in turn, in real time. All are scored by the
    report's own definitions, from the audio that left them and the call's labels. A run is kept on disk as it ends:
    the same command goes on where it was stopped. Nothing else should run meanwhile. The other agents' packages are
    put into an environment of their own the first time.
    """
    from agent.bench.peer_run import Runner
    from agent.bench.peer_steps import steps, subjects
    from agent.bench.peer_table import document, rows
    from agent.bench.peer_venv import peer_python
    from agent.config.load import load
    from agent.errors import AgentError
    from agent.report.machine import machine_facts
    from agent.report.write import write_whole

    if json_ not in (None, "-"):
        raise AgentError("bench.json", f"--json {json_}: only `--json -` is known.", "Give `--json -`.")
    notes = Console(stderr=True)

    def say(line: str) -> None:
        notes.print(line, highlight=False, markup=False)

    loaded = load(config)
    systems = _with_models(system, loaded, say)
    given = subjects(calls, caller_channel, loaded.config.replay.max_gap_s)
    python = peer_python(say) if any(one.kind != "ours" for one in systems) else None
    runner = Runner(out, config, caller_channel, loaded, python)
    done, left = _run(list(steps(systems, given, rounds)), runner, minutes, again, say)
    table = rows(systems, done)
    show(table, Console(width=max(Console().width, 130)))
    whole = json.dumps(document(table, machine_facts().model_dump(mode="json")))
    write_whole(out / "peers.json", whole + "\n")
    say(f"Written: {out}/peers.json; every run's report.json and call.wav are beside it.")
    if left:
        say(f"{left} runs are left: the same command goes on with them.")
    if json_:
        sys.stdout.write(whole + "\n")


def _with_models(names: Sequence[str] | None, loaded: Loaded, say: Callable[[str], None]) -> list[System]:
    """The systems that were asked for; without names, those whose models are here."""
    from agent.bench.peer_systems import chosen
    from agent.config.load import load
    from agent.models.store import Store

    store, found = Store(loaded.config.paths.models), []
    for one in chosen(names):
        seat = load(loaded.path, one.overrides).config.seats["fast"].model
        if not names and seat in store.manifest.models and store.check(seat).state == "absent":
            say(f"left out: {one.name} needs the model {seat} (`main.py models pull {seat}`).")
        else:
            store.path(seat)
            found.append(one)
    return found


def _run(
    todo: Sequence[Step], runner: Runner, minutes: float | None, again: bool, say: Callable[[str], None]
) -> tuple[list[Done], int]:
    """Run what has no result yet; also how many runs are left."""
    done: list[Done] = []
    began, left = time.monotonic(), 0
    for number, step in enumerate(todo, start=1):
        kept = None if again else runner.kept(step)
        if kept is not None:
            done.append(kept)
            continue
        needs_s = step.subject.seconds + START_UP_S
        if minutes is not None and time.monotonic() - began + needs_s > minutes * 60.0:
            left += 1
            continue
        say(f"[{number}/{len(todo)}] {step.folder}: about {needs_s:.0f} s ...")
        finished = runner.run(step)
        done.append(finished)
        one = finished.report.summary
        p50 = "none" if one.v2v_ms.p50 is None else f"{one.v2v_ms.p50:.0f} ms"
        say(f"    V2V p50 {p50}, answered {one.answered} of {one.turns}, cut-ins {one.cut_ins or 0:.0%}")
    return done, left


def show(table: Sequence[Row], screen: Console) -> None:
    """A line an agent, then ours against each other one, then what each was given."""
    from agent.bench.peer_systems import SHARED
    from agent.bench.peer_table import WANTED_SHARE, against, best_stock

    view = Table()
    view.add_column("agent", no_wrap=True)
    titles = ("runs", "turns", "V2V p50 / p90 / p95", "<= 500", "<= 800 ms", "cut-ins (damaging)", "missed")
    for title in (*titles, "turn end p50"):
        view.add_column(title, justify="right", no_wrap=True)
    for row in table:
        one = row.summary
        v2v, within = one.v2v_ms, one.share_v2v_within
        view.add_row(
            row.system.name,
            str(row.runs),
            f"{one.answered} of {one.turns}",
            f"{_ms(v2v.p50)} / {_ms(v2v.p90)} / {_ms(v2v.p95)}",
            _share(within["500"]),
            _share(within["800"]),
            f"{_share(one.cut_ins)} ({_share(one.damaging_cut_ins)})",
            _share(one.missed),
            _ms(one.endpoint_delay_ms.p50),
        )
    screen.print(view)
    found = against(table)
    best = best_stock(table, found)
    for other in found:
        wanted = "" if other is not best else f"; wanted {WANTED_SHARE:.2f} of the best stock setting: "
        wanted += "" if other is not best else ("kept" if other.quarter else "not kept")
        screen.print(
            f"our p50 is {other.ratio:.2f} of {other.system}'s (95 % {other.low:.2f} to {other.high:.2f}{wanted})",
            highlight=False,
        )
    screen.print("All that are not ours: " + "; ".join(SHARED) + ".", highlight=False, markup=False)
    for row in table:
        extra = [f"{name} {value}" for found in row.found for name, value in found.items()]
        screen.print(
            f"{row.system.name}: {'; '.join([*row.system.settings, *extra])}", highlight=False, markup=False
        )


def _ms(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f}"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"
