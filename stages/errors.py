"""The errors that stages raise: a code for programs, a sentence for people, and the way out."""

from __future__ import annotations


class StageError(Exception):
    """Something a stage cannot do.

    Attributes:
        code: short stable name for programs, e.g. ``"audio.truncated"``.
        message: what is wrong, naming the file, model or device.
        hint: what to do next; may be empty.
        exit_code: what a command-line program ends with: 2 for input, 3 for the environment.
    """

    exit_code = 2

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message if not hint else f"{message} {hint}")
        self.code, self.message, self.hint = code, message, hint


class InputError(StageError):
    """The caller's file, text or argument is at fault."""


class EnvironmentFault(StageError):  # noqa: N818 - EnvironmentError is a builtin
    """A model file, a library, memory or the disk is at fault."""

    exit_code = 3


class Aborted(Exception):  # noqa: N818 - not a fault: work was told to stop, and did
    """Raised by an engine that was told to stop through its abort callable."""
