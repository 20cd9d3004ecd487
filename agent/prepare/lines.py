"""What was said in past calls, line by line, from labels or dialogues."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from stages.errors import InputError


@dataclass(frozen=True, slots=True)
class Line:
    """One party's words until the other speaks, in the segments in which they came."""

    role: str
    parts: tuple[str, ...]

    @property
    def text(self) -> str:
        """All of it."""
        return " ".join(self.parts)


@dataclass(frozen=True, slots=True)
class Talk:
    """One call: its lines, caller and agent in turn."""

    name: str
    lines: tuple[Line, ...]


def read_talks(paths: Iterable[Path]) -> list[Talk]:
    """Read ``NAME.call.json`` files, dialogues (``segments`` instead of ``turns``), or folders of both.

    Raises InputError that names the file: not JSON, no lines, or nothing at all.
    """
    files = [file for path in paths for file in (sorted(path.glob("*.json")) if path.is_dir() else [path])]
    talks = [talk for file in files if (talk := _read(file)) is not None]
    if not talks:
        raise InputError(
            "calls.learn", "No words of both parties were found in these files.", "Name labelled calls."
        )
    return talks


def _read(path: Path) -> Talk | None:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as fault:
        raise InputError(
            "calls.learn", f"{path} cannot be read as JSON: {fault}.", "Check the file."
        ) from fault
    found = data.get("segments", data.get("turns")) if isinstance(data, dict) else None
    if not isinstance(found, list):
        return None
    lines: list[Line] = []
    for segment in found:
        role, text = (segment.get("role"), segment.get("text")) if isinstance(segment, dict) else (None, None)
        if role not in ("caller", "agent") or not isinstance(text, str) or not text.strip():
            continue
        if lines and lines[-1].role == role:
            lines[-1] = Line(role, (*lines[-1].parts, text.strip()))
        else:
            lines.append(Line(role, (text.strip(),)))
    return Talk(path.name.split(".")[0], tuple(lines)) if len(lines) > 1 else None
