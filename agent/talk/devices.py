"""Which devices a person chose, kept from one talk to the next."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from agent.report.write import write_whole


class Remembered(BaseModel):
    """``input`` and ``output`` by name; ``headphones`` as `talk --check` found."""

    model_config = ConfigDict(frozen=True)

    input: str | None = None
    output: str | None = None
    headphones: bool = False


def memory_path() -> Path:
    """The user's own file."""
    from platformdirs import user_config_path

    return user_config_path("budgie") / "sound.json"


def recall(path: Path) -> Remembered:
    """What was chosen last; nothing where the file is missing or no good."""
    try:
        return Remembered.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, ValidationError):
        return Remembered()


def remember(path: Path, chosen: Remembered) -> None:
    """Keep the choice. Raises AgentError if the disk refuses."""
    write_whole(path, chosen.model_dump_json(indent=1) + "\n")
