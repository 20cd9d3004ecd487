"""Profiles between runs: one file for each machine with each configuration of the stages."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from agent.config.model import Config
from agent.models.files import write_text_atomically
from agent.report.facts import Machine
from latency_budget.profile import Profile, ProfileError, profile_from

LARGEST = 1 << 20


def profile_key(machine: Machine, config: Config) -> str:
    """What a profile is valid for: the processor, its cores, and all settings that decide how long a stage takes."""
    settings = config.model_dump(mode="json", include={"compute", "asr", "seats", "tts"})
    facts = [machine.cpu, machine.arch, machine.cores, machine.libraries, settings]
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


class ProfileStore:
    """A folder of profiles. What is not there, or cannot be right, is begun anew."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load(self, key: str) -> tuple[Profile, str | None]:
        """The profile for ``key``, and a line for people if one was there and could not be used."""
        path = self._path(key)
        if not path.is_file():
            return Profile.unlearned(key), None
        try:
            if path.stat().st_size > LARGEST:
                raise ProfileError("it is too large")
            return profile_from(json.loads(path.read_text(encoding="utf-8")), key), None
        except (OSError, ValueError) as fault:
            return Profile.unlearned(key), f"{path.name} is not used: {fault}. Times are learned anew."

    def save(self, profile: Profile) -> bool:
        """Keep ``profile`` for its key; False where the disk will not take it."""
        try:
            write_text_atomically(self._path(profile.key), json.dumps(profile.as_data()) + "\n")
        except OSError:
            return False
        return True

    def _path(self, key: str) -> Path:
        return self._folder / f"profile-{key[:16]}.json"
