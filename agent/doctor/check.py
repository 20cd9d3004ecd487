"""One finding of the doctor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "note", "fault"]


@dataclass(frozen=True, slots=True)
class Check:
    """What was looked at, what was found, and what to do about it.

    ``note``: worth knowing, the agent runs. ``fault``: it does not, until ``fix`` is done.
    """

    name: str
    state: State
    found: str
    fix: str = ""
