"""``main.py bench council``: how often the council is right, and what that costs."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent.bench.council import Row
    from agent.bench.council_member import Member

SMALL, MIDDLE, LARGE = "smollm2-135m", "qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b"


def bench_council(
    half: Annotated[
        str, typer.Option(help="dev or test. Tuning looks at dev only; test is for final figures.")
    ] = "dev",
    domain: Annotated[
        list[str] | None, typer.Option("--domain", help="A task set; may be given again. None: all.")
    ] = None,
    dialogues: Annotated[
        Path | None,
        typer.Option(help="Instead: a folder of human bank dialogues; is the caller's wish served?"),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Only so many questions of each domain, for a quick look.")
    ] = None,
    way: Annotated[
        list[str] | None,
        typer.Option("--way", help="Only ways whose name holds this text, and the baseline."),
    ] = None,
    threads: Annotated[int, typer.Option(min=1, max=64, help="Threads of one decode.")] = 2,
    wrong: Annotated[bool, typer.Option("--wrong", help="Print every wrong answer.")] = False,
    json_: Annotated[
        str | None, typer.Option("--json", metavar="-", help="`--json -` prints one JSON line at the end.")
    ] = None,
    quality: Annotated[
        Path | None,
        typer.Option(
            "--quality", metavar="FILE", help="Write the shares that the controller weighs paths by."
        ),
    ] = None,
) -> None:
    """Ask callers' questions of three domains and check what the answers hold.

    Each member alone, several samples with each way of deciding, the fact as it stands, and a larger model. Answers
    are kept on disk with their times, so that a second run takes seconds. Shares come with Wilson 95 % intervals, the
    gain above the 0.5B alone with the interval of paired proportions.
    """
    from agent.bench.council import compare, questions
    from agent.bench.council_tasks import domains
    from agent.bench.council_ways import ways
    from agent.bench.council_wishes import load_wishes
    from agent.errors import AgentError

    if half not in ("dev", "test"):
        raise AgentError("bench.half", f"--half {half}: there are dev and test.", "Give one of them.")
    if json_ not in (None, "-"):
        raise AgentError("bench.json", f"--json {json_}: only `--json -` is known.", "Give `--json -`.")
    if dialogues is not None:
        half, asked = "dialogues", load_wishes(dialogues)[:limit]
    else:
        asked = questions(domain or domains(), "test" if half == "test" else "dev", limit)
    members = _members(threads)
    rows = ways(SMALL, MIDDLE, LARGE if LARGE in members else None)
    baseline = rows[1]
    wanted = [one for one in rows if not way or one is baseline or any(part in one.name for part in way)]
    notes = Console(stderr=True)
    figures, answers = compare(
        wanted, baseline, members, asked, lambda line: notes.print(line, highlight=False, markup=False)
    )
    screen = Console(width=max(Console().width, 150))
    show(figures, screen, half, len(asked))
    if wrong:
        for one in answers:
            if not one["right"]:
                screen.print(f"{one['way']} | {one['task']} | {one['said']}", highlight=False, markup=False)
    if quality is not None:
        _write_quality(quality, answers, asked, half)
    if json_:
        whole = {"schema": 1, "half": half, "rows": [asdict(row) for row in figures], "answers": answers}
        sys.stdout.write(json.dumps(whole) + "\n")


def _write_quality(path: Path, answers: list[dict[str, Any]], asked: list[Any], half: str) -> None:
    from agent.bench.council_quality import quality_of, write_quality
    from agent.clock import today
    from agent.report.machine import machine_facts

    machine, tasks = machine_facts(), {task.id: task for _, task, _ in asked}
    command = f"python main.py bench council --half {half} --quality {path.name}"
    found = quality_of(answers, tasks, command, today(), f"{machine.cpu}, {machine.cores} cores")
    write_quality(found, path)


def _members(threads: int) -> dict[str, Member]:
    """The models that are here; the smaller two must be."""
    from agent.bench.council_cache import AnswerCache
    from agent.bench.council_member import Member
    from agent.models.places import cache_root
    from agent.models.proof import settings_for
    from agent.models.store import Store
    from stages.council.config import SeatConfig

    store, cache = Store(), AnswerCache(cache_root() / "bench" / "council")
    members = {}
    for name in (SMALL, MIDDLE, LARGE):
        if name == LARGE and store.check(name).state == "absent":
            continue
        path = store.path(name)
        proven = settings_for(path, store.fingerprint(path))
        config = SeatConfig(threads=threads, sequences=6, use_extra_bufts=proven.use_extra_bufts)
        members[name] = Member(name, path, store.fingerprint(path), config, cache)
    return members


def show(rows: Sequence[Row], screen: Console, half: str, count: int) -> None:
    """The table: a line a way."""
    screen.print(f"\n{half}: {count} questions; 95 % intervals", highlight=False)
    table = Table()
    titles = ("right", "above the 0.5B", "false facts", "first piece p50/p90", "done p50", "CPU s", "tokens")
    table.add_column("way", no_wrap=True)
    for title in titles:
        table.add_column(title, justify="right", no_wrap=True)
    for row in rows:
        right, gain = row.right, row.gain
        table.add_row(
            row.way,
            f"{right.value or 0:.0%} ({right.low or 0:.0%}-{right.high or 0:.0%})",
            f"{gain.points:+.0f} ({gain.low:+.0f} to {gain.high:+.0f})",
            f"{row.false.value or 0:.1%}",
            f"{row.first_ms_p50:.0f}/{row.first_ms_p90:.0f} ms",
            f"{row.all_ms_p50:.0f} ms",
            f"{row.cpu_s_mean:.2f}",
            f"{row.tokens_mean:.0f}",
        )
    screen.print(table)
    for row in rows:
        split = ", ".join(f"{name} {part}" for name, part in {**row.by_domain, **row.by_kind}.items())
        screen.print(f"{row.way}: {split}", highlight=False, markup=False)
