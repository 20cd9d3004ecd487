"""The root of the command line: gathers the commands, prints every error, picks every exit code."""

from __future__ import annotations

from collections.abc import Sequence

import typer
from typer.main import get_command

from agent.cli.failure import explain, report
from agent.cli.lazy import Entry, lazy_group

PROGRAM = "main.py"

COMMANDS = (
    Entry("talk", "Talk with the agent by microphone and loudspeaker.", "agent.cli.talk", "talk"),
    Entry(
        "replay", "Replay a recorded call in real time and measure every turn.", "agent.cli.replay", "replay"
    ),
    Entry("calls", "Show, label and make the calls that replay reads.", "agent.cli.calls"),
    Entry("bench", "Measure one part: turn end, hearing, council.", "agent.cli.bench"),
    Entry("explain", "Tell why a turn went as it did.", "agent.cli.explain", "explain"),
    Entry("compare", "Compare reports: better, worse, or noise.", "agent.cli.compare", "compare"),
    Entry("tune", "Search the settings that suit a set of calls.", "agent.cli.tune", "tune"),
    Entry("models", "List, fetch and verify the embedded models.", "agent.cli.models"),
    Entry(
        "doctor", "Check this machine: CPU, memory, disk, libraries, models.", "agent.cli.doctor", "doctor"
    ),
    Entry("config", "Check, show and explain the configuration.", "agent.cli.config"),
)

EXAMPLES = {
    "talk": (
        ("talk", "speak and be answered; Ctrl-C ends with a summary"),
        ("talk --check", "try the microphone, the loudspeaker and the echo between them"),
    ),
    "replay": (
        ("replay CALL.wav --out out/mine", "the caller's channel in, a latency report out"),
        ("replay TWO.wav --caller-channel 0", "a stereo recording, the caller on the left"),
        ('replay FOLDER --gate "v2v_p95<=500,missed<=0.01"', "many calls; ends with 1 if they are too slow"),
    ),
    "calls": (("calls show CALL.wav", "its turns, holds and shifts"),),
    "bench": (("bench turn-end CALL.call.json", "dead air against cut-ins, beside a timer and smart-turn"),),
    "explain": (("explain out/mine --turn 3", "its marks, what was foretold, chosen and done, and why"),),
    "compare": (("compare out/old out/new", "paired by turn, with intervals"),),
    "tune": (
        (
            "tune FOLDER --budget 500 --cut-ins 0.03",
            "searches, confirms on held-back calls, writes best.yaml",
        ),
    ),
    "models": (("models list", "what is here and what is missing"), ("models pull", "fetch the default set")),
    "doctor": (("doctor", "what stands in the way of a quick answer"),),
    "config": (
        ("config check my.yaml", "every mistake, with its line"),
        ("config explain endpoint.timeout_ms", "meaning, range, default"),
    ),
}

INTRO = """\
[bold]Budgie[/bold] is a voice agent that runs on your own machine and answers a caller within half a second.
It proves it: a recorded call goes in, and a report of every turn's latency comes out."""

EXIT_CODES = """\
[bold]Exit codes[/bold]

0 done, 1 a gate failed, 2 usage or input, 3 environment, 130 interrupted."""


def _help() -> str:
    lines = [
        f"  [cyan]{PROGRAM} {command}[/cyan]  {meaning}"
        for entry in COMMANDS
        if entry.exists()
        for command, meaning in EXAMPLES[entry.name]
    ]
    return "\n\n".join([INTRO, "[bold]Examples[/bold]", "\n\n".join(lines), EXIT_CODES])


def root() -> typer.Typer:
    """Make the root command."""
    app = typer.Typer(
        cls=lazy_group(COMMANDS),
        help=_help(),
        rich_markup_mode="rich",
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback(invoke_without_command=True)
    def _root(
        ctx: typer.Context,
        debug: bool = typer.Option(
            False, "--debug", help="Show tracebacks and the libraries' own logs (also BUDGIE_DEBUG=1)."
        ),
    ) -> None:
        if ctx.invoked_subcommand is None:
            ctx.get_help()

    app.info.help = _help()
    return app


def run(argv: Sequence[str], *, debug: bool = False) -> int:
    """Run the command in ``argv`` (without the program's name) and return the exit code.

    With ``debug`` an error ends in its traceback instead of a line for people.
    """
    # `--debug` counts wherever it stands, so that it can be added to the end of a line that failed.
    args = [word for word in argv if word != "--debug"]
    command = get_command(root())
    try:
        with command.make_context(PROGRAM, args) as ctx:
            command.invoke(ctx)
        typer.get_text_stream("stdout").flush()
    except typer.Exit as exc:
        return exc.exit_code
    except (Exception, KeyboardInterrupt) as exc:  # noqa: BLE001 - the one place where every error ends
        return report(explain(exc), exc, debug=debug)
    return 0
