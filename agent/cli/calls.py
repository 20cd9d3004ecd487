"""``calls show | label | make | revoice | learn``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agent.cli.calls_learn import learn
from agent.errors import AgentError

if TYPE_CHECKING:
    from agent.calls.label import Progress
    from agent.calls.load import LoadedCall
    from agent.calls.voices import PacedVoice
    from stages.contract import Recogniser

app = typer.Typer(
    name="calls",
    help="Show, label and make the calls that replay reads.\n\nA call is a recording (mono: the caller; stereo: "
    "say which channel), or a `NAME.call.json` with its labels.",
    rich_markup_mode="rich",
    no_args_is_help=True,
    add_completion=False,
)

app.command()(learn)

Json = Annotated[
    str | None, typer.Option("--json", metavar="FILE", help="Write JSON; `-` prints it as one line.")
]
Channel = Annotated[
    int | None, typer.Option("--caller-channel", min=0, help="Stereo: the caller's channel, from 0.")
]


@app.command()
def show(
    file: Annotated[Path, typer.Argument(help="A recording or a NAME.call.json.", show_default=False)],
    caller_channel: Channel = None,
    json_to: Json = None,
) -> None:
    """List a call's turns, holds and shifts, and say where its labels came from."""
    from agent.calls.load import load_call

    with _progress("looking for speech") as progress:
        loaded = load_call(file, caller_channel, progress=progress)
    _print(loaded, json_to)


@app.command()
def label(
    file: Annotated[Path, typer.Argument(help="A recording or a NAME.call.json.", show_default=False)],
    out: Annotated[
        Path | None, typer.Option("--out", help="The NAME.call.json to write; none: beside the recording.")
    ] = None,
    caller_channel: Channel = None,
    texts: Annotated[
        str | None,
        typer.Option("--texts", metavar="MODEL", help="Write down the words, e.g. with whisper-base."),
    ] = None,
    json_to: Json = None,
) -> None:
    """Find the speech of each channel with the whole recording at hand, and write it as labels."""
    from agent.calls.compose import save_call
    from agent.calls.load import load_call, silero
    from agent.calls.relabel import relabel

    target = _labels_beside(file) if out is None else out
    recogniser = None if texts is None else _recogniser(texts)
    with _progress("looking for speech") as progress:
        call = relabel(file, target, caller_channel, silero(), recogniser=recogniser, progress=progress)
    save_call(target, call)
    _print(load_call(target), json_to)
    _wrote(target)


@app.command()
def make(
    script: Annotated[
        Path, typer.Argument(help="A YAML script; see configs/calls/demo.yaml.", show_default=False)
    ],
    out: Annotated[Path, typer.Option("--out", help="NAME, NAME.wav or NAME.call.json.", show_default=False)],
    agent_voice: Annotated[
        str | None,
        typer.Option(
            "--agent-voice",
            metavar="MODEL",
            help="A piper voice for the agent, e.g. piper-joe. It breathes anew each time; the built-in one does not.",
        ),
    ] = None,
    json_to: Json = None,
) -> None:
    """Speak a scripted call with two synthetic voices at exact times; its labels are exact."""
    from agent.calls.load import load_call
    from agent.calls.make import default_voices, make_call
    from agent.calls.script import read_script

    voices = default_voices(read_script(script).seed)
    if agent_voice is not None:
        voices = replace(voices, agent=_piper(agent_voice))
    with _progress("speaking the script") as progress:
        call = make_call(script, out, voices, progress=progress)
    target = out.with_name(f"{call.name}.call.json")
    _print(load_call(target), json_to)
    _wrote(target, target.with_name(f"{call.name}.wav"))


@app.command()
def revoice(
    dialogue: Annotated[
        Path, typer.Argument(help="A dialogue as JSON: segments with times.", show_default=False)
    ],
    out: Annotated[Path, typer.Option("--out", help="NAME, NAME.wav or NAME.call.json.", show_default=False)],
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the voices' breath.")] = 1,
    json_to: Json = None,
) -> None:
    """Speak a human dialogue with the humans' timing kept, as far as the voices' pace allows."""
    from agent.calls import revoice as revoicing
    from agent.calls.load import load_call
    from agent.calls.make import default_voices

    with _progress("speaking the dialogue") as progress:
        call = revoicing.revoice(dialogue, out, default_voices(seed), progress=progress)
    target = out.with_name(f"{call.name}.call.json")
    _print(load_call(target), json_to)
    fits = [abs(one.seconds - one.wanted_s) for one in call.turns if one.wanted_s is not None]
    near = sum(fit <= 0.1 for fit in fits)
    typer.echo(f"{near} of {len(fits)} segments are within 0.1 s of the human's length", err=True)
    _wrote(target, target.with_name(f"{call.name}.wav"))


def _recogniser(model: str) -> Recogniser:
    from agent.models.store import Store
    from stages.asr.whisper import WhisperRecogniser

    return WhisperRecogniser(Store().path(model))


def _piper(model: str) -> PacedVoice:
    from agent.calls.voices import Unpaced
    from agent.models.store import Store
    from stages.tts.piper_voice import PiperVoice

    return Unpaced(PiperVoice(Store().path(model)), f"piper {Path(model).stem}")


def _labels_beside(file: Path) -> Path:
    if file.name.endswith(".json"):
        raise AgentError(
            "calls.out", f"{file} would be overwritten.", "Name the new labels: --out NEW.call.json"
        )
    return file.with_suffix(".call.json")


def _print(loaded: LoadedCall, json_to: str | None) -> None:
    from rich.console import Console

    from agent.calls.show import document, tables

    if json_to == "-":
        Console(stderr=True).print(tables(loaded))
        typer.echo(json.dumps(document(loaded), ensure_ascii=False))
        return
    Console().print(tables(loaded))
    if json_to is not None:
        Path(json_to).write_text(json.dumps(document(loaded), ensure_ascii=False) + "\n", encoding="utf-8")


def _wrote(*paths: Path) -> None:
    for path in paths:
        typer.echo(f"wrote {path}", err=True)


@contextmanager
def _progress(what: str) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=1.0)
        yield lambda share: bar.update(task, completed=share)
