"""``config check | show | explain``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from agent.config.load import Loaded

app = typer.Typer(
    name="config",
    help="Check, show and explain the configuration.\n\nWithout a FILE: `configs/default.yaml`.",
    rich_markup_mode="rich",
    no_args_is_help=True,
    add_completion=False,
)

File = Annotated[
    Path | None, typer.Argument(help="A YAML file; none means the defaults.", show_default=False)
]
Sets = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change one value. Repeatable.")
]
Json = Annotated[
    str | None, typer.Option("--json", metavar="FILE", help="Write JSON; `-` prints it as one line.")
]


def _load(file: Path | None, sets: list[str] | None) -> Loaded:
    from agent.config.load import load

    return load(file, sets or ())


@app.command()
def check(file: File = None, sets: Sets = None) -> None:
    """Read a configuration and its persona, and name every mistake with its line."""
    from agent.config.model import thread_caps

    loaded = _load(file, sets)
    caps = ", ".join(
        f"{key.removesuffix('.threads')} {threads}" for key, threads in thread_caps(loaded.config).items()
    )
    typer.echo(f"{loaded.path}: valid, sha256 {loaded.sha256()[:12]}")
    typer.echo(f"persona: {loaded.persona.name}, {len(loaded.persona.facts)} facts ({loaded.persona_path})")
    typer.echo(f"threads: {caps}")
    for note in loaded.notes:
        typer.echo(f"note: {note}", err=True)


@app.command()
def show(
    file: File = None,
    sets: Sets = None,
    json_to: Json = None,
    defaults: Annotated[
        bool, typer.Option("--defaults", help="Print the built-in defaults; reads no file.")
    ] = False,
) -> None:
    """Print every value in force, as commented YAML that can be used as a file, with its hash."""
    from agent.config.template import render

    if defaults:
        from agent.config.model import Config

        typer.echo(render(Config()), nl=False)
        return
    loaded = _load(file, sets)
    if json_to is not None:
        _write_json(_document(loaded), json_to)
        return
    typer.echo(render(loaded.config) + f"\n# sha256 {loaded.sha256()}")


@app.command()
def explain(
    key: Annotated[str, typer.Argument(help="A dotted key, such as `asr.threads`, or a section.")],
    file: Annotated[
        Path | None, typer.Option("--config", help="A YAML file; none means the defaults.")
    ] = None,
    sets: Sets = None,
    json_to: Json = None,
) -> None:
    """Tell what one key means: what it takes, its default and value, where that was set, what reads it."""
    from dataclasses import asdict

    from agent.config.explain import explain as explain_key

    told = explain_key(key, _load(file, sets))
    if json_to is not None:
        _write_json(asdict(told), json_to)
        return
    rows = {"takes": told.takes, "read by": told.used_by}
    if not told.keys:
        rows |= {"default": json.dumps(told.default), "value": json.dumps(told.value)}
        rows["set at"] = told.source or "nowhere: the default"
    typer.echo(f"{told.key}: {told.description}")
    for name, text in rows.items():
        typer.echo(f"  {name:<8} {text}")


def _document(loaded: Loaded) -> dict[str, Any]:
    from agent.config.model import thread_caps

    return {
        "path": str(loaded.path),
        "sha256": loaded.sha256(),
        "persona_path": str(loaded.persona_path),
        "threads": thread_caps(loaded.config),
        "notes": list(loaded.notes),
        "values": loaded.effective(),
    }


def _write_json(document: dict[str, Any], to: str) -> None:
    text = json.dumps(document, ensure_ascii=False)
    if to == "-":
        typer.echo(text)
    else:
        Path(to).write_text(text + "\n", encoding="utf-8")
