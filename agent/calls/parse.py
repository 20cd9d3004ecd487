"""Reads a JSON or YAML file into a strict model; what is wrong becomes one line that names file and key."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from stages.errors import InputError

Model = TypeVar("Model", bound=BaseModel)


def parse_json(path: Path, model: type[Model]) -> Model:
    """Read ``path`` as JSON. Raises InputError if it is missing, broken, or not what ``model`` describes."""
    try:
        return _checked(path, json.loads(_text(path)), model)
    except json.JSONDecodeError as error:
        raise InputError("call.json", f"{path}:{error.lineno} is not valid JSON: {error.msg}.") from error


def parse_yaml(path: Path, model: type[Model]) -> Model:
    """Read ``path`` as YAML. Raises InputError as :func:`parse_json` does."""
    import yaml

    try:
        return _checked(path, yaml.safe_load(_text(path)), model)
    except yaml.MarkedYAMLError as error:
        line = "" if error.problem_mark is None else f":{error.problem_mark.line + 1}"
        raise InputError("call.yaml", f"{path}{line} is not valid YAML: {error.problem}.") from error
    except yaml.YAMLError as error:
        raise InputError("call.yaml", f"{path} is not valid YAML: {str(error).splitlines()[0]}.") from error


def nearest(key: str, known: Iterable[str]) -> str | None:
    """The known key that ``key`` may be a misspelling of."""
    return next(iter(difflib.get_close_matches(key, list(known), n=1, cutoff=0.7)), None)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(
            "call.unreadable", f"{path} cannot be read: {error.strerror}.", "Check the path."
        ) from error
    except UnicodeDecodeError as error:
        raise InputError("call.text", f"{path} is no text file.", "Check the path.") from error


def _checked(path: Path, data: object, model: type[Model]) -> Model:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise _first_fault(path, error, model) from error


def _first_fault(path: Path, error: ValidationError, model: type[BaseModel]) -> InputError:
    fault = error.errors()[0]
    where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in fault["loc"]).lstrip(".")
    if fault["type"] == "extra_forbidden":
        known = sorted(set(_keys(model)))
        near = nearest(str(fault["loc"][-1]), known)
        hint = f"Did you mean `{near}`?" if near else f"Known are: {', '.join(known)}."
        return InputError("call.key", f"{path}: unknown key `{where}`.", hint)
    if fault["type"] == "missing":
        return InputError("call.missing", f"{path}: `{where}` is missing.")
    got = f" is {fault['input']!r}" if isinstance(fault["input"], int | float | str) else ""
    return InputError("call.value", f"{path}: `{where or 'the file'}`{got}: {_plain(fault)}.")


def _plain(fault: Any) -> str:
    message = str(fault["msg"]).removeprefix("Value error, ")
    return message[0].lower() + message[1:]


def _keys(model: type[BaseModel]) -> Iterator[str]:
    for name, field in model.model_fields.items():
        yield field.alias or name
        for part in (field.annotation, *get_args(field.annotation)):
            if isinstance(part, type) and issubclass(part, BaseModel):
                yield from _keys(part)
