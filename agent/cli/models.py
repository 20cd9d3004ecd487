"""`models`: list, fetch and verify the embedded models."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from agent.errors import AgentError
from agent.models.manifest import load_manifest
from agent.models.places import models_root
from agent.models.pull import Puller
from agent.models.sources import Progress
from agent.models.store import Status, Store

app = typer.Typer(help="List, fetch and verify the embedded models.", no_args_is_help=True)

Names = Annotated[list[str] | None, typer.Argument(help="Names from `models list`.", show_default=False)]
Root = Annotated[
    Path | None, typer.Option(help="Folder of the models (default: BUDGIE_MODELS, or the cache).")
]
ManifestFile = Annotated[Path | None, typer.Option(help="Another manifest than configs/models.yaml.")]
Json = Annotated[str | None, typer.Option("--json", metavar="-", help="Print one JSON document on stdout.")]

_COLOURS = {"ok": "green", "absent": "yellow", "broken": "red"}


@app.command("list")
def list_models(root: Root = None, manifest: ManifestFile = None, json_out: Json = None) -> None:
    """Show every model: whether it is here, its size, its licence and what it is for."""
    store = _store(root, manifest)
    statuses = [store.check(name) for name in store.manifest.models]
    _show(store, statuses, json_out)


@app.command()
def pull(
    names: Names = None,
    force: Annotated[
        bool, typer.Option("--force", help="Make the named ones anew, whatever is there.")
    ] = False,
    root: Root = None,
    manifest: ManifestFile = None,
) -> None:
    """Fetch models (default: the default set), check them by SHA-256, and make what is made from others."""
    from rich.console import Console

    store, console = _store(root, manifest), Console(stderr=True)
    wanted = names or store.manifest.default_names()

    def say(text: str) -> None:
        console.print(text, highlight=False, soft_wrap=True)

    with _progress(console) as progress:
        made = Puller(store, progress=progress, say=say).pull(wanted, force=force)
    news = f", fetched or made now: {', '.join(made)}" if made else ""
    say(f"In place in {store.root}: {', '.join(wanted)}{news}.")


@app.command()
def verify(
    names: Names = None, root: Root = None, manifest: ManifestFile = None, json_out: Json = None
) -> None:
    """Read every byte of the models (default: all that are here, and the default set) and compare the hashes."""
    store = _store(root, manifest)
    quick = {name: store.check(name) for name in names or store.manifest.models}
    wanted = names or [
        name for name, status in quick.items() if status.state != "absent" or store.manifest.get(name).default
    ]
    statuses = [store.check(name, full=True) for name in wanted]
    _show(store, statuses, json_out)
    if wrong := [status for status in statuses if status.state != "ok"]:
        said = " ".join(f"{status.name}: {status.detail.rstrip('.')}." for status in wrong)
        hint = f"Run: main.py models pull --force {' '.join(status.name for status in wrong)}"
        raise AgentError(
            "models.verify", f"{len(wrong)} of {len(statuses)} models are not right. {said}", hint, 3
        )


def _store(root: Path | None, manifest: Path | None) -> Store:
    return Store(root or models_root(), load_manifest(manifest))


def _show(store: Store, statuses: list[Status], json_out: str | None) -> None:
    if json_out is not None:
        if json_out != "-":
            raise AgentError("usage", f"--json takes -, not {json_out}.", "It prints on stdout; redirect it.")
        typer.echo(
            json.dumps({"root": str(store.root), "models": [_as_json(store, each) for each in statuses]})
        )
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for column in ("model", "state", "MB", "licence", "what it is for"):
        table.add_column(column, justify="right" if column == "MB" else "left")
    for status in statuses:
        model = store.manifest.get(status.name)
        state = f"[{_COLOURS[status.state]}]{status.state}[/]"
        table.add_row(status.name, state, f"{model.size_bytes / 1e6:.0f}", model.licence, model.about)
    console = Console()
    console.print(table)
    for status in statuses:
        if status.state == "broken":
            console.print(f"{status.name}: {status.detail}", style="red", highlight=False, soft_wrap=True)
    console.print(f"Folder: {store.root}", highlight=False, soft_wrap=True)


def _as_json(store: Store, status: Status) -> dict[str, object]:
    model = store.manifest.get(status.name)
    return {
        "name": status.name,
        "state": status.state,
        "detail": status.detail,
        "bytes": model.size_bytes,
        "licence": model.licence,
        "about": model.about,
        "default": model.default,
        "path": str(store.location(status.name)),
    }


@contextmanager
def _progress(console: object) -> Iterator[Progress]:
    """A line that moves on a terminal; elsewhere one line a step."""
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    assert isinstance(console, Console)
    if not console.is_terminal:
        yield _lines(lambda text: console.print(text, highlight=False, soft_wrap=True))
        return
    columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn()
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("models", total=1)

        def advance(text: str, done: int, total: int) -> None:
            bar.update(task, description=text, completed=done, total=total)

        yield advance


def _lines(write: Callable[[str], None]) -> Progress:
    def advance(text: str, done: int, total: int) -> None:
        count = f" ({done + 1} of {total})" if done < total <= 100 else ""
        write(f"  {text}{count}")

    return advance
