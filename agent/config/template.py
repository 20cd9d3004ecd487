"""A configuration as commented YAML: what ``config show`` prints and ``configs/default.yaml`` is."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from agent.config import words
from agent.config.model import Config

HEAD = """\
# Every setting of Budgie. Copy this file, change what you need and pass it with --config; a key that is
# left out keeps its default. `python main.py config explain KEY` tells more about one key.
"""
WIDTH = 110


def render(config: Config) -> str:
    """Write ``config`` as YAML, every key with what it means and what it takes. Loading it gives it back."""
    schema = Config.model_json_schema()
    return HEAD + "\n".join(_section(schema, schema, config.model_dump(mode="json"), "")) + "\n"


def _section(root: words.Schema, schema: words.Schema, values: Mapping[str, Any], pad: str) -> Iterator[str]:
    for name, value in values.items():
        below = words.below(root, schema, name) or {}
        if not pad:
            yield ""
        yield from _comment(root, below, pad, leaf=not isinstance(value, Mapping))
        if isinstance(value, Mapping):
            yield f"{pad}{name}:" + ("" if value else " {}")
            yield from _section(root, below, value, pad + "  ")
        elif isinstance(value, list) and value:
            yield f"{pad}{name}:"
            yield from (f"{pad}  - {_inline(item)}" for item in value)
        else:
            yield f"{pad}{name}: {_inline(value)}"


def _comment(root: words.Schema, schema: words.Schema, pad: str, *, leaf: bool) -> Iterator[str]:
    text = str(schema.get("description", "")).split("\n\n")[0].replace("\n", " ")
    takes = f" [{words.allowed(root, schema)}]" if leaf else ""
    for line in textwrap.wrap(text + takes, WIDTH - len(pad) - 2, break_on_hyphens=False):
        yield f"{pad}# {line}"


def _inline(value: Any) -> str:
    text: str = yaml.safe_dump(
        value, default_flow_style=True, sort_keys=False, allow_unicode=True, width=10**9
    )
    return text.removesuffix("...\n").rstrip("\n")
