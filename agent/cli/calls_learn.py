"""``calls learn``: what agents say when, from past calls, as a YAML for a person to review."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from agent.prepare.lines import Talk


def learn(
    calls: Annotated[
        list[Path],
        typer.Argument(help="NAME.call.json files, dialogues, or folders of them.", show_default=False),
    ],
    persona: Annotated[str, typer.Option("--persona", "-p", help="Whose replies these are to be.")] = "bank",
    leave_out: Annotated[
        list[str] | None,
        typer.Option(
            "--leave-out",
            metavar="NAME",
            help="A call not to learn from: replay it with what is learned then.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="The YAML to write.", show_default="out/replies-PERSONA.yaml")
    ] = None,
    json_to: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Write JSON; `-` prints it as one line.")
    ] = None,
) -> None:
    """Propose likely replies from past calls, and say how well they predict a call that was left out."""
    from agent.prepare.learned import document, learned_yaml, summary
    from agent.prepare.leave_one_out import guesses
    from agent.prepare.lines import read_talks
    from agent.prepare.mining import mine

    talks = _without(read_talks(calls), leave_out or [])
    replies, found = mine(talks), guesses(talks)
    target = out or Path("out") / f"replies-{persona}.yaml"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(learned_yaml(replies, persona, talks, found), encoding="utf-8")
    typer.echo(summary(replies, talks, found), err=json_to == "-")
    typer.echo(
        f"wrote {target}: read it, and copy what this persona may say to configs/replies/{persona}.yaml",
        err=True,
    )
    if json_to == "-":
        typer.echo(json.dumps(document(replies, talks, found)))
    elif json_to is not None:
        Path(json_to).write_text(json.dumps(document(replies, talks, found)) + "\n", encoding="utf-8")


def _without(talks: list[Talk], names: list[str]) -> list[Talk]:
    from agent.errors import AgentError

    there = [talk.name for talk in talks]
    for name in names:
        if name not in there:
            raise AgentError(
                "calls.learn", f"--leave-out {name}: there is no such call.", f"There are {', '.join(there)}."
            )
    return [talk for talk in talks if talk.name not in names]
