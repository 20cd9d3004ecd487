"""What a command line says when a command fails: one place for every error, its words and its exit code."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path

import typer

from agent.errors import AgentError
from stages.errors import Aborted, StageError

GATE, INPUT, ENVIRONMENT, INTERRUPTED, PIPE_CLOSED = 1, 2, 3, 130, 141


@dataclass(frozen=True, slots=True)
class Failure:
    """How a command ended: lines for people (both may be empty) and the exit code.

    ``bug`` marks what nobody foresaw: its traceback is kept in a file.
    """

    message: str
    hint: str
    exit_code: int
    bug: bool = False


def explain(exc: BaseException) -> Failure:
    """Turn whatever a command raised into what a person should read."""
    if isinstance(exc, AgentError | StageError):
        return Failure(exc.message, exc.hint, exc.exit_code)
    if isinstance(exc, typer.TyperException):
        return _usage(exc)
    if isinstance(exc, KeyboardInterrupt | Aborted | typer.Abort):
        return Failure("interrupted.", "", INTERRUPTED)
    if isinstance(exc, BrokenPipeError):
        return Failure("", "", PIPE_CLOSED)
    if isinstance(exc, OSError):
        return _operating_system(exc)
    if isinstance(exc, MemoryError):
        return Failure("out of memory.", "Choose smaller models, or close other programs.", ENVIRONMENT)
    if isinstance(exc, ModuleNotFoundError):
        return Failure(
            f"the package {exc.name} is not installed for {sys.executable}.", "Run `make venv`.", ENVIRONMENT
        )
    return _unforeseen(exc)


def _usage(exc: typer.TyperException) -> Failure:
    ctx = getattr(exc, "ctx", None)
    hint = f"`{ctx.command_path} --help` shows what it takes." if ctx is not None else ""
    message = exc.format_message()
    # A bare group has printed its help already; its error carries no text.
    return Failure(message, hint if message else "", INPUT)


def _operating_system(exc: OSError) -> Failure:
    where = f"{exc.filename}: " if exc.filename else ""
    if exc.errno in (errno.ENOSPC, errno.EDQUOT):
        return Failure(
            f"{where}no space left on the disk.", "Free some space, or write elsewhere.", ENVIRONMENT
        )
    if exc.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return Failure(
            f"{where}not permitted ({exc.strerror}).", "Check the permissions of that path.", ENVIRONMENT
        )
    if exc.errno in (errno.ENOENT, errno.ENOTDIR, errno.EISDIR):
        return Failure(f"{where}{exc.strerror}.", "Check the path.", INPUT)
    return Failure(f"{where}{exc.strerror or exc}.", "", ENVIRONMENT)


def _unforeseen(exc: BaseException) -> Failure:
    line = f"{type(exc).__name__}: {exc}".splitlines()[0]
    return Failure(f"this is a bug in Budgie, not a mistake of yours: {line}", "", ENVIRONMENT, bug=True)


def report(failure: Failure, exc: BaseException, *, debug: bool) -> int:
    """Print ``failure`` to stderr and return its exit code."""
    if failure.exit_code == PIPE_CLOSED:
        # Python flushes stdout once more at exit and would complain about the closed pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return failure.exit_code
    hint = failure.hint
    if debug:
        traceback.print_exception(exc)
    elif failure.bug:
        hint = _keep(exc)
    if failure.message:
        typer.echo(f"{typer.style('error:', fg='red', bold=True)} {failure.message}", err=True)
    if hint:
        typer.echo(f"{typer.style('hint:', fg='cyan', bold=True)} {hint}", err=True)
    return failure.exit_code


def _keep(exc: BaseException) -> str:
    """Write the traceback to the log folder and say where; if that fails, say how to see it."""
    from platformdirs import user_log_path

    path: Path = user_log_path("budgie") / f"crash-{os.getpid()}.log"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(traceback.format_exception(exc)), encoding="utf-8")
    except OSError:
        return "Run it again with --debug to see the traceback."
    return f"The traceback is in {path}; please report it."
