"""The report and the turn log on disk. What is written is whole, whenever the program is stopped."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import ValidationError

from agent.errors import AgentError
from agent.report.schema import Report
from agent.report.turns import Turn


class TurnLog:
    """Appends one JSON line for each finished turn; a line is on the disk when ``append`` returns.

    A log that is there already is begun anew: it is one run's.

    Raises:
        AgentError: the folder or the file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("wb", buffering=0)
        except OSError as error:
            raise _unwritable(path, error) from error

    def append(self, turn: Turn) -> None:
        """Write one turn and wait until the disk has it. Raises AgentError if it cannot."""
        line = turn.model_dump_json().encode() + b"\n"
        try:
            while line:
                line = line[self._file.write(line) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            raise _unwritable(self.path, error) from error

    def close(self) -> None:
        """End the log."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read_turns(path: Path) -> list[Turn]:
    """The turns of a log. A last line that was cut off half way is left out.

    Raises:
        AgentError: the file cannot be read, or a whole line in it is no turn.
    """
    try:
        *lines, rest = path.read_bytes().split(b"\n")
    except OSError as error:
        hint = "Give the turns.jsonl of a run."
        raise AgentError("report.unreadable", f"{path} cannot be read: {error.strerror}.", hint) from error
    turns = [_turn(path, number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    try:
        # A line that lacks only its newline is whole all the same.
        return [*turns, Turn.model_validate_json(rest)] if rest.strip() else turns
    except ValidationError:
        return turns


def write_report(report: Report, path: Path) -> None:
    """Write ``report.json``: either the new report is there afterwards, or the file is as it was.

    Raises:
        AgentError: the folder or the file cannot be written.
    """
    write_whole(path, report.to_json(indent=2) + "\n")


def write_whole(path: Path, text: str) -> None:
    """Replace ``path`` by ``text`` in one step. Raises AgentError if that cannot be done."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}.", delete=False
        ) as file:
            temporary = Path(file.name)
            try:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
                # The temporary file is private to its owner; a report is as readable as any new file.
                temporary.chmod(0o666 & ~_umask())
                temporary.replace(path)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
    except OSError as error:
        raise _unwritable(path, error) from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _turn(path: Path, number: int, line: bytes) -> Turn:
    try:
        return Turn.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(step) for step in first["loc"]) or "the line"
        raise AgentError(
            "report.bad_line",
            f"{path}, line {number} is no turn: {where}: {first['msg']}.",
            "Give the turns.jsonl of a run, unchanged.",
        ) from error


def _unwritable(path: Path, error: OSError) -> AgentError:
    return AgentError(
        "report.unwritable",
        f"{path} cannot be written: {error.strerror or error}.",
        "Free some space or choose another folder with --out.",
        exit_code=3,
    )
