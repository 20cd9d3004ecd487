"""``main.py talk``: a conversation by microphone and loudspeaker."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

if TYPE_CHECKING:
    from agent.config.load import Loaded
    from agent.talk.devices import Remembered
    from agent.transports.sound_card import SoundCard


def talk(
    config: Annotated[
        Path | None,
        typer.Option("--config", "-c", help="Configuration.", show_default="configs/default.yaml"),
    ] = None,
    persona: Annotated[
        str | None, typer.Option("--persona", "-p", help="Who answers, instead of the configuration's.")
    ] = None,
    budget: Annotated[
        float | None, typer.Option("--budget", metavar="MS", help="The same as --set budget.budget_ms=MS.")
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change one key for this run. Can be repeated."),
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option("--record", "-r", metavar="DIR", help="Keep the call there: replay takes it as it is."),
    ] = None,
    input_: Annotated[
        str | None,
        typer.Option("--input", "-i", metavar="DEVICE", help="Microphone by name or number; remembered."),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="DEVICE", help="Loudspeaker by name or number; remembered."),
    ] = None,
    list_devices: Annotated[
        bool, typer.Option("--list-devices", help="Show microphones and loudspeakers, and end.")
    ] = False,
    check: Annotated[
        bool,
        typer.Option("--check", help="Measure levels and the way from loudspeaker to microphone, and end."),
    ] = False,
    text: Annotated[bool, typer.Option("--text", help="Plain lines, for logs and screen readers.")] = False,
    seconds: Annotated[
        float | None, typer.Option("--seconds", min=1.0, help="End by itself after so long.")
    ] = None,
) -> None:
    """Talk with the agent: it greets, listens and answers, and can be interrupted.

    Each turn is shown with its latency as a bar of the budget, its parts and its path. Ctrl-C ends the call with a
    summary; a second one ends it at once. With --record the folder holds call.wav (left: you, right: the agent),
    NAME.call.json for `replay`, turns.jsonl and report.json. Every key of the configuration can be given with
    --set (`config show` lists them). Devices are remembered in the user's configuration folder.
    """
    from agent.talk.devices import Remembered, memory_path, recall, remember
    from agent.transports.sound_card import SoundCard

    card = SoundCard()
    if list_devices:
        _list(card)
        return
    known = recall(memory_path())
    chosen = Remembered(
        input=input_ or known.input, output=output or known.output, headphones=known.headphones
    )
    if input_ or output:
        # A wrong name is told before it is kept.
        sources = {"input": card.find("input", chosen.input), "output": card.find("output", chosen.output)}
        names = {key: device.name for key, device in sources.items() if getattr(chosen, key) is not None}
        chosen = chosen.model_copy(update=names)
        remember(memory_path(), chosen)
    if check:
        _check(card, chosen)
        return
    overrides = [*(set_ or []), *([f"persona={persona}"] if persona else [])]
    if budget is not None:
        overrides.append(f"budget.budget_ms={budget:g}")
    _converse(card, chosen, _load(config, overrides), record, text=text, seconds=seconds)


def _load(config: Path | None, overrides: list[str]) -> Loaded:
    from agent.config.load import load

    return load(config, overrides)


def _converse(
    card: SoundCard,
    chosen: Remembered,
    loaded: Loaded,
    record: Path | None,
    *,
    text: bool,
    seconds: float | None,
) -> None:
    import asyncio

    from agent.report.table import print_report
    from agent.talk.run import TalkPlan
    from agent.talk.run import talk as hold
    from agent.talk.view import LiveView, PlainView, TalkView
    from agent.transports.microphone import Devices

    console = Console()
    budget_ms = loaded.config.budget.budget_ms
    plain = text or not console.is_terminal

    def make_view() -> TalkView:
        return PlainView(console, budget_ms) if plain else LiveView(console, budget_ms)

    say = PlainView(console, budget_ms).say
    for note in loaded.notes:
        say(note)
    settings = loaded.config.talk
    devices = Devices(chosen.input, chosen.output, settings.input_latency, settings.output_latency)
    plan = TalkPlan(devices, chosen.headphones, record, seconds)
    report = asyncio.run(hold(plan, loaded, card, make_view, say))
    print_report(report, console)
    if record is not None:
        say(f"Written: {record}/call.wav, {record.resolve().name}.call.json, turns.jsonl and report.json.")


def _list(card: SoundCard) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for title in ("number", "name", "system", "channels", "rate", "used for"):
        table.add_column(title)
    for direction, use in (("input", "recording"), ("output", "playing")):
        for device in card.devices(direction):  # type: ignore[arg-type]
            use_here = f"{use}, the default" if device.is_default else use
            row = (
                device.number,
                device.name,
                device.api,
                device.channels,
                f"{device.default_hz} Hz",
                use_here,
            )
            table.add_row(*(str(cell) for cell in row))
    Console().print(table, highlight=False)


def _check(card: SoundCard, chosen: Remembered) -> None:
    from agent.cli.talk_check import run_check

    run_check(card, chosen)
