"""Checking a document against a model, with every mistake named at its line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from agent.config import words
from agent.config.problems import error_of
from agent.config.yaml_file import Document, KeyPath, dotted, read_document

Model = TypeVar("Model", bound=BaseModel)


def load_model(path: Path, model: type[Model]) -> Model:
    """Read the YAML file ``path`` as ``model``. Raises AgentError that lists every mistake with its line."""
    return check(read_document(path), model)


def check(document: Document, model: type[Model], *, hint: str = "") -> Model:
    """Make ``model`` of ``document``. Raises AgentError with all problems, those of reading included.

    Values are taken strictly: the text "5" is no number, and ``yes`` is no text.
    ``hint`` is added to a mistake that has no better way out.
    """
    data = {} if document.data is None else document.data
    if not isinstance(data, Mapping):
        document.add(
            (), f"the file must hold keys and values, not {words.shown(data)}.", "Write `key: value` lines."
        )
        raise error_of(document.problems, document.name)
    try:
        # JSON mode is the strict one that still takes a text for a path and a list for a tuple.
        made = model.model_validate_json(json.dumps(data, default=str), strict=True)
    except ValidationError as exc:
        _explain(document, model.model_json_schema(), data, exc, hint)
    if document.problems:
        raise error_of(document.problems, document.name)
    return made


def _explain(document: Document, schema: words.Schema, data: Any, exc: ValidationError, hint: str) -> None:
    seen: set[KeyPath] = set()
    for detail in exc.errors(include_url=False):
        path = _path_in(data, detail)
        # A union gives one error for each of its options; the words name all options at once.
        if path in seen:
            continue
        seen.add(path)
        text, way_out = _say(schema, path, detail)
        document.add(path, text, way_out or hint)


def _path_in(data: Any, detail: ErrorDetails) -> KeyPath:
    """The key path of an error: its location without the names that pydantic adds for union members."""
    location = detail["loc"]
    if detail["type"] in ("missing", "extra_forbidden"):
        return location
    path: list[str | int] = []
    for part in location:
        there = (
            part in data if isinstance(data, Mapping) else isinstance(data, list) and isinstance(part, int)
        )
        if not there:
            break
        data = data[part]
        path.append(part)
    return tuple(path)


def _say(schema: words.Schema, path: KeyPath, detail: ErrorDetails) -> tuple[str, str]:
    key, kind = dotted(path), detail["type"]
    if kind == "extra_forbidden":
        return _unknown(schema, path)
    if kind == "missing":
        below = words.find(schema, path)
        takes = f": {words.allowed(schema, below)}" if below is not None else ""
        return f"{key} is missing{takes}.", ""
    if kind in ("value_error", "assertion_error"):
        reason = str(detail.get("ctx", {}).get("error", detail["msg"])).removesuffix(".") + "."
        return (f"{key}: {reason}" if key else reason), ""
    if detail["loc"][-1:] == ("[key]",):
        return f"{key}: the name must be of the form {detail.get('ctx', {}).get('pattern', '')}.", ""
    below = words.find(schema, path)
    takes = words.allowed(schema, below) if below is not None else detail["msg"]
    return f"{key} must be {takes}, not {words.shown(detail['input'])}.", ""


def _unknown(schema: words.Schema, path: KeyPath) -> tuple[str, str]:
    meant = words.nearest(schema, path)
    if meant is not None:
        return f"{dotted(path)} is not a key; did you mean {meant}?", ""
    section = words.find(schema, path[:-1])
    known = ", ".join(words.children(schema, section)) if section is not None else ""
    place = dotted(path[:-1]) or "the file"
    return f"{dotted(path)} is not a key; {place} takes {known}.", ""
