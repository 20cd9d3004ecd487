"""A command group that knows its commands by name and imports one only when it runs."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command


@dataclass(frozen=True, slots=True)
class Entry:
    """One command: its name, the line that the help shows, and where it is.

    ``attribute`` names a ``typer.Typer`` (a command with sub-commands) or a function (a single command).
    """

    name: str
    summary: str
    module: str
    attribute: str = "app"

    def exists(self) -> bool:
        """Whether the module is there. Looks for the file; imports nothing of it."""
        return importlib.util.find_spec(self.module) is not None

    def load(self) -> Any:
        """Import the module and make the command."""
        target = getattr(importlib.import_module(self.module), self.attribute)
        parent = typer.Typer(add_completion=False, rich_markup_mode="rich")
        if isinstance(target, typer.Typer):
            # Made as a child: a Typer of its own would show options for shell completion.
            parent.add_typer(target, name=self.name)
            group = get_command(parent)
            assert isinstance(group, TyperGroup)
            return group.commands[self.name]
        parent.command(name=self.name)(target)
        return get_command(parent)


def lazy_group(entries: Sequence[Entry]) -> type[TyperGroup]:
    """Return a group class with those of ``entries`` whose module exists, in their order."""
    there = {entry.name: entry for entry in entries if entry.exists()}

    class LazyGroup(TyperGroup):
        """Shows placeholders in the help; swaps in the real command when one is chosen."""

        def __init__(self, **attrs: Any) -> None:
            super().__init__(**attrs)
            for entry in there.values():
                self.add_command(TyperCommand(entry.name, callback=None, help=entry.summary))

        def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
            name, command, rest = super().resolve_command(ctx, args)
            return name, command if name is None else there[name].load(), rest

    return LazyGroup
