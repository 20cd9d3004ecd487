"""Reading a YAML file into plain data that remembers the line of every key."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from agent.config.problems import Problem, error_of
from agent.errors import AgentError

KeyPath = tuple[str | int, ...]

MAX_BYTES = 1_000_000
MAX_NODES = 20_000
"""Far beyond any honest file; stops aliases that unfold into millions of nodes."""


def dotted(path: KeyPath) -> str:
    """Write a key path as people type it: ``endpoint.points.0``."""
    return ".".join(str(part) for part in path)


@dataclass
class Document:
    """The data of one file, the line (from 1) on which each key path stands, and what was wrong already."""

    name: str
    data: Any = None
    lines: dict[KeyPath, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    labels: dict[KeyPath, str] = field(default_factory=dict)
    """Key paths that came from elsewhere (``--set``), with the name of that place."""

    def where(self, path: KeyPath) -> tuple[str, int]:
        """The place of the nearest key on the way to ``path``: ``file:line`` and the line."""
        for length in range(len(path), -1, -1):
            part = path[:length]
            if part in self.labels:
                return self.labels[part], 0
            if part in self.lines:
                return f"{self.name}:{self.lines[part]}", self.lines[part]
        return self.name, 0

    def add(self, path: KeyPath, text: str, hint: str = "") -> None:
        """Record a problem at ``path``."""
        where, line = self.where(path)
        self.problems.append(Problem(where, line, text, hint))


def read_document(path: Path) -> Document:
    """Read ``path``. Raises AgentError if it is no readable YAML; lesser mistakes are kept in it."""
    text = _read_text(path)
    document = Document(str(path))
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        if node is not None:
            document.lines[()] = node.start_mark.line + 1
            document.data = _Walk(document, loader).value(node, ())
    except yaml.MarkedYAMLError as exc:
        raise error_of([_syntax(path, text, exc)], str(path)) from exc
    except yaml.reader.ReaderError as exc:
        line = text.count("\n", 0, exc.position) + 1
        message = f"the character U+{exc.character:04X} is not allowed in YAML."
        raise error_of([Problem(f"{path}:{line}", line, message)], str(path)) from exc
    return document


def parse_value(text: str) -> Any:
    """Read the value of a ``--set``: YAML in one line. Raises ValueError."""
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as exc:
        raise ValueError(f"{text!r} is not a YAML value") from exc


def _read_text(path: Path) -> str:
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise _missing(path) from None
    except IsADirectoryError:
        raise AgentError(
            "config.directory", f"{path} is a folder, not a file.", "Name a YAML file."
        ) from None
    except OSError as exc:
        raise AgentError("config.unreadable", f"{path} cannot be read: {exc.strerror}.", exit_code=3) from exc
    if len(raw) > MAX_BYTES:
        raise AgentError(
            "config.too_large", f"{path} holds {len(raw):,} bytes; a configuration has at most 1 MB."
        )
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        line = raw.count(b"\n", 0, exc.start) + 1
        message = f"{path}:{line}: not UTF-8 (byte 0x{raw[exc.start]:02x})."
        raise AgentError("config.encoding", message, "Save the file as UTF-8.") from exc


def _missing(path: Path) -> AgentError:
    folder = path.parent
    if not folder.is_dir():
        return AgentError(
            "config.missing", f"{path} does not exist: there is no folder {folder}.", "Check the path."
        )
    names = sorted(entry.name for entry in folder.iterdir() if entry.suffix in (".yaml", ".yml"))
    near = difflib.get_close_matches(path.name, names, n=3, cutoff=0.5) or names[:5]
    hint = f"Did you mean {', '.join(str(folder / name) for name in near)}?" if near else "Check the path."
    return AgentError("config.missing", f"{path} does not exist.", hint)


def _syntax(path: Path, text: str, exc: yaml.MarkedYAMLError) -> Problem:
    mark = exc.problem_mark or exc.context_mark
    line = mark.line + 1 if mark is not None else 1
    rows = text.splitlines()
    row = rows[line - 1] if line <= len(rows) else ""
    if "\t" in row[: len(row) - len(row.lstrip())] or "'\\t'" in (exc.problem or ""):
        return Problem(f"{path}:{line}", line, "a tab where YAML wants spaces.", "Indent with spaces.")
    problem = exc.problem or exc.context or "cannot be read"
    if isinstance(exc, yaml.constructor.ConstructorError):
        problem = "tags (!!name) are not taken"
    elif problem.startswith("but ") and exc.context:
        problem = f"{exc.context}, {problem}"
    return Problem(f"{path}:{line}", line, f"not valid YAML: {problem}.")


class _Walk:
    """Turns nodes into data and notes lines. Scalars are read by PyYAML's own rules."""

    def __init__(self, document: Document, loader: yaml.SafeLoader) -> None:
        self._document, self._loader = document, loader
        self._open: set[int] = set()
        self._count = 0

    def value(self, node: yaml.Node, path: KeyPath) -> Any:
        self._count += 1
        if self._count > MAX_NODES or id(node) in self._open:
            raise yaml.MarkedYAMLError(
                problem="aliases that unfold without end", problem_mark=node.start_mark
            )
        self._open.add(id(node))
        try:
            if isinstance(node, yaml.MappingNode):
                return dict(self._pairs(node, path))
            if isinstance(node, yaml.SequenceNode):
                return [self._item(child, (*path, index)) for index, child in enumerate(node.value)]
            return self._scalar(node)
        finally:
            self._open.discard(id(node))

    def _scalar(self, node: yaml.Node) -> Any:
        try:
            return self._loader.construct_object(node)
        except ValueError as exc:  # a date like 2024-13-45
            raise yaml.MarkedYAMLError(problem=str(exc), problem_mark=node.start_mark) from exc

    def _item(self, node: yaml.Node, path: KeyPath) -> Any:
        self._document.lines[path] = node.start_mark.line + 1
        return self.value(node, path)

    def _pairs(self, node: yaml.MappingNode, path: KeyPath) -> Iterator[tuple[str, Any]]:
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            # Keys stay as written: `on:` and `1:` are names here, not truth values and numbers.
            key = key_node.value if isinstance(key_node, yaml.ScalarNode) else None
            if key is None:
                raise yaml.MarkedYAMLError(
                    problem="a key must be a plain name", problem_mark=key_node.start_mark
                )
            here = (*path, key)
            if here in self._document.lines:
                first = self._document.lines[here]
                text = f"{dotted(here)} is set twice (first on line {first})."
                self._document.problems.append(
                    Problem(f"{self._document.name}:{line}", line, text, "Keep one of them.")
                )
                continue
            self._document.lines[here] = line
            yield key, self.value(value_node, here)
