"""The error that the agent raises for what a person can put right."""

from __future__ import annotations


class AgentError(Exception):
    """Something the agent cannot do: a code for programs, a sentence for people, and the way out.

    Attributes:
        code: short stable name for programs, e.g. ``"config.unknown_key"``.
        message: what is wrong, naming the file, key or device. May hold several lines.
        hint: what to do next; may be empty.
        exit_code: what the command line ends with: 1 a gate failed, 2 usage or input, 3 environment.
    """

    def __init__(self, code: str, message: str, hint: str = "", exit_code: int = 2) -> None:
        super().__init__(message if not hint else f"{message} {hint}")
        self.code, self.message, self.hint, self.exit_code = code, message, hint, exit_code
