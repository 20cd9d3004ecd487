"""All checks, in the order in which a person would look."""

from __future__ import annotations

from agent.doctor import machine, software
from agent.doctor.check import Check
from agent.models.llama_build import library_folder
from agent.models.store import Store


def examine(store: Store) -> list[Check]:
    """Look at this machine. Takes about a second; changes nothing, loads no model."""
    models, missing_bytes = software.models(store)
    return [
        machine.python(),
        machine.cores(),
        machine.processor(),
        machine.memory(),
        machine.disk(store.root, missing_bytes),
        machine.compiler(llama_installed=library_folder() is not None),
        software.llama(),
        models,
        software.formats(),
        software.sound(),
    ]
