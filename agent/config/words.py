"""Plain words for what a key takes, read off the model's JSON schema."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agent.config.yaml_file import KeyPath, dotted

Schema = Mapping[str, Any]

MAX_NAMED = 6
"""Most keys of a section that an error names."""


def resolve(root: Schema, schema: Schema) -> Schema:
    """Follow a reference to its definition, keeping what stands beside it (description, default)."""
    reference = schema.get("$ref")
    if reference is None:
        return schema
    beside = {key: value for key, value in schema.items() if key != "$ref"}
    return {**root["$defs"][reference.rsplit("/", 1)[-1]], **beside}


def children(root: Schema, schema: Schema) -> Mapping[str, Schema]:
    """The keys below ``schema``, or none where any name goes or nothing is below."""
    properties: Mapping[str, Schema] = resolve(root, schema).get("properties", {})
    return properties


def below(root: Schema, schema: Schema, part: str | int) -> Schema | None:
    """The schema of the key or list item ``part`` directly below ``schema``, or None if there is none."""
    schema = resolve(root, schema)
    found = schema.get("properties", {}).get(part)
    if found is None:
        found = schema.get("items") if isinstance(part, int) else _any_name(schema)
    return resolve(root, found) if isinstance(found, Mapping) else None


def find(root: Schema, path: KeyPath) -> Schema | None:
    """The schema of the key at ``path``, or None if there is no such key."""
    schema: Schema | None = root
    for part in path:
        schema = None if schema is None else below(root, schema, part)
    return schema


def _any_name(schema: Schema) -> Schema | None:
    """What stands under a free name, where a section takes any."""
    patterns: Mapping[str, Schema] = schema.get("patternProperties", {})
    below = next(iter(patterns.values()), schema.get("additionalProperties"))
    return below if isinstance(below, Mapping) else None


def leaves(
    root: Schema, schema: Schema | None = None, path: KeyPath = ()
) -> Iterator[tuple[KeyPath, Schema]]:
    """Every key that holds a value, in the model's order; a free name is written ``NAME``."""
    here = resolve(root, root if schema is None else schema)
    under: dict[str, Schema] = dict(children(root, here))
    free = _any_name(here)
    if free is not None:
        under["NAME"] = free
    if not under:
        yield path, here
    for name, child in under.items():
        yield from leaves(root, child, (*path, name))


def nearest(root: Schema, path: KeyPath) -> str | None:
    """The key that was probably meant by the unknown ``path``: beside it first, then anywhere."""
    name, above = str(path[-1]), path[:-1]
    section = find(root, above)
    beside = list(children(root, section)) if section is not None else []
    close = difflib.get_close_matches(name, beside, n=1, cutoff=0.6)
    if close:
        return dotted((*above, close[0]))
    everywhere = [leaf for leaf, _ in leaves(root)]
    same = [leaf for leaf in everywhere if leaf[-1] == name]
    if same:
        return dotted(same[0])
    others = [dotted(leaf) for leaf in everywhere if path[: len(leaf)] != leaf]
    close = difflib.get_close_matches(dotted(path), others, n=1, cutoff=0.7)
    if close:
        return close[0]
    loose = difflib.get_close_matches(name, beside, n=1, cutoff=0.5)
    return dotted((*above, loose[0])) if loose else None


def allowed(root: Schema, schema: Schema) -> str:
    """What a key takes, in words: ``a whole number from 1 to 64, or null``."""
    schema = resolve(root, schema)
    if "anyOf" in schema:
        return ", or ".join(allowed(root, option) for option in schema["anyOf"])
    if "enum" in schema:
        return f"one of {', '.join(map(str, schema['enum']))}"
    if "const" in schema:
        return str(schema["const"])
    kind = schema.get("type")
    if kind in ("integer", "number"):
        return ("a whole number" if kind == "integer" else "a number") + _range(schema)
    if kind == "array":
        return _list(root, schema)
    if kind == "object":
        return _mapping(root, schema)
    return {"boolean": "true or false", "null": "null"}.get(str(kind), _text(schema))


def _range(schema: Schema) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f" from {_number(low)} to {_number(high)}"
    above = schema.get("exclusiveMinimum")
    start = (
        f" above {_number(above)}"
        if above is not None
        else f" of at least {_number(low)}"
        if low is not None
        else ""
    )
    return start + (f" up to {_number(high)}" if high is not None else "")


def _number(value: float) -> str:
    return f"{value:g}" if abs(value) < 1e6 else f"{value:,.0f}"


def _text(schema: Schema) -> str:
    if schema.get("format") == "path":
        return "a path"
    if schema.get("pattern"):
        return f"text of the form {schema['pattern']}"
    length = schema.get("maxLength")
    empty = "text that is not empty" if schema.get("minLength") else "text"
    return f"{empty}, of at most {length} characters" if length else empty


def _list(root: Schema, schema: Schema) -> str:
    items = schema.get("items")
    each = f" of {allowed(root, items)}" if isinstance(items, Mapping) else ""
    least = schema.get("minItems")
    return f"a list{each}" + (f" ({least} or more)" if least else "")


def _mapping(root: Schema, schema: Schema) -> str:
    keys = children(root, schema)
    if keys:
        named = [*keys] if len(keys) <= MAX_NAMED else [*list(keys)[:MAX_NAMED], "..."]
        return f"a section with the keys {', '.join(named)}"
    below = _any_name(schema)
    some = "at least one name" if schema.get("minProperties") else "names"
    return f"a section of {some}, each {allowed(root, below)}" if below is not None else "a section"


def shown(value: Any) -> str:
    """How an error names a value that was given."""
    if value is None:
        return "nothing (null)"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "a section" if value else "an empty section"
    if isinstance(value, str):
        return f"the text {value!r}" if len(value) <= 60 else f"the text {value[:57]!r}..."
    if isinstance(value, Sequence):
        return "a list" if value else "an empty list"
    return str(value)
