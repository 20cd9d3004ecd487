"""What one key means: its words, range, default, present value, and where that was set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agent.config import words
from agent.config.load import Loaded
from agent.config.model import Config
from agent.config.yaml_file import KeyPath, dotted
from agent.errors import AgentError

USED_BY = {
    "persona": "the system prompt, the greeting and the two sentences that need no model",
    "budget": "the report: which turns met the budget; latency_budget: which path answers",
    "compute": "agent/compute.py, the owner of the cores",
    "endpoint": "agent/turn.py (turn taking) and stages/endpoint (voice activity, turn end)",
    "asr": "stages/asr (recognition)",
    "seats": "stages/council (language models)",
    "council": "agent/council.py (several answers, compared)",
    "tts": "stages/tts (speech)",
    "prepare": "agent/prepare (phrases, likely replies, the profile of this machine)",
    "replay": "agent/replay and the report",
    "talk": "agent/talk/call.py and agent/transports/microphone.py",
    "telemetry": "agent/telemetry: what operators get of finished turns",
    "paths": "the model store, and whatever writes files",
}
"""Who reads each section."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """One key. ``default`` and ``value`` are plain data, None where a free name has none.

    ``source`` is ``file:line``, ``--set`` or None for a default; ``keys`` are those of a section.
    """

    key: str
    description: str
    takes: str
    default: Any
    value: Any
    source: str | None
    used_by: str
    keys: tuple[str, ...] = ()


def explain(key: str, loaded: Loaded) -> Explanation:
    """Explain ``key`` (dotted) as it stands in ``loaded``. Raises AgentError with the nearest key."""
    schema = Config.model_json_schema()
    path: KeyPath = tuple(int(part) if part.isdigit() else part for part in key.split("."))
    found = words.find(schema, path)
    if found is None or not key:
        raise AgentError("config.unknown_key", f"{key!r} is not a key.", _hint(schema, path))
    return Explanation(
        key=key,
        description=str(found.get("description", "")),
        takes=words.allowed(schema, found),
        default=_at(Config().model_dump(mode="json"), path),
        value=_at(loaded.config.model_dump(mode="json"), path),
        source=loaded.source(path),
        used_by=USED_BY[str(path[0])],
        keys=tuple(words.children(schema, found)),
    )


def _hint(schema: words.Schema, path: KeyPath) -> str:
    same = [dotted(leaf) for leaf, _ in words.leaves(schema) if leaf[-1] == path[-1]]
    meant = words.nearest(schema, path)
    if len(path) == 1 and same:
        return f"Did you mean {', '.join(same)}?"
    return f"Did you mean {meant}?" if meant else "`main.py config show` lists every key."


def _at(data: Any, path: KeyPath) -> Any:
    for part in path:
        if isinstance(data, Mapping):
            data = data.get(part)
        elif isinstance(data, list) and isinstance(part, int) and part < len(data):
            data = data[part]
        else:
            return None
    return data
