"""The strict loader: a YAML file and ``--set`` overrides in, a checked configuration out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.config.model import Config, thread_caps
from agent.config.problems import error_of
from agent.config.strict import check, load_model
from agent.config.yaml_file import Document, KeyPath, parse_value, read_document
from agent.errors import AgentError
from agent.persona import Persona

CONFIGS = Path(__file__).resolve().parents[2] / "configs"
DEFAULT_FILE = CONFIGS / "default.yaml"
HINT = "`main.py config explain KEY` tells what a key takes."


@dataclass(frozen=True)
class Loaded:
    """A checked configuration with its persona, and where its values came from.

    ``notes`` are lines for people about what was adapted to this machine.
    """

    path: Path
    config: Config
    persona: Persona
    persona_path: Path
    document: Document
    notes: tuple[str, ...] = ()

    def effective(self) -> dict[str, Any]:
        """Every value in force, the persona's content in place of its name, as plain JSON data."""
        return self.config.model_dump(mode="json") | {"persona": self.persona.model_dump(mode="json")}

    def sha256(self) -> str:
        """SHA-256 of the effective values as canonical JSON: equal hashes mean equal behaviour."""
        text = json.dumps(self.effective(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    def source(self, path: KeyPath) -> str | None:
        """Where the key at ``path`` was set (``file:line`` or ``--set``), or None if it is a default."""
        if path not in self.document.lines and path not in self.document.labels:
            return None
        return self.document.where(path)[0]


def load(path: Path | None = None, overrides: Sequence[str] = (), *, cores: int | None = None) -> Loaded:
    """Load the file at ``path`` (None: the shipped default), then apply ``KEY=VALUE`` overrides.

    ``cores`` is what ``compute.cores: auto`` stands for; None counts those that this process may use.
    Raises AgentError that names every mistake with file and line, the nearest right key, and what is allowed.
    """
    file = DEFAULT_FILE if path is None else path
    document = read_document(file)
    for override in overrides:
        _override(document, override)
    config = check(document, Config, hint=HINT)
    config, notes = _fit_threads(document, config, cores)
    persona_path = _persona_path(document, file, config.persona)
    persona = load_model(persona_path, Persona)
    return Loaded(file, config, persona, persona_path, document, notes)


def _override(document: Document, override: str) -> None:
    key, equals, text = override.partition("=")
    path: KeyPath = tuple(key.strip().split("."))
    if not equals or not all(path):
        raise AgentError(
            "config.override", f"--set {override}: not of the form KEY=VALUE.", "Example: --set asr.threads=1"
        )
    if document.data is None:
        document.data = {}
    if not isinstance(document.data, dict):
        return  # the file itself is at fault; check() says so
    defaults: Any = Config().model_dump(mode="json")
    here: Any = document.data
    for part in path[:-1]:
        # What the file leaves out is filled from the default: an override changes one value and no other.
        defaults = defaults.get(part) if isinstance(defaults, Mapping) else None
        if here.get(part) is None:
            here[part] = dict(defaults) if isinstance(defaults, Mapping) else {}
        here = here[part]
        if not isinstance(here, dict):
            raise AgentError(
                "config.override", f"--set {key}: {part} has no keys below it; set it whole.", HINT
            )
    try:
        here[path[-1]] = parse_value(text)
    except ValueError as exc:
        raise AgentError("config.override", f"--set {key}: {exc}.", HINT) from exc
    document.labels[path] = f"--set {key}"


def _fit_threads(document: Document, config: Config, cores: int | None) -> tuple[Config, tuple[str, ...]]:
    """Hold the thread caps against the cores: a stated number is binding, a machine's own lowers the caps."""
    if config.compute.cores != "auto":
        for key, threads in thread_caps(config).items():
            if threads > config.compute.cores:
                text = f"{key} is {threads}, above compute.cores ({config.compute.cores})."
                document.add(tuple(key.split(".")), text, "Lower the cap, or raise compute.cores.")
        if document.problems:
            raise error_of(document.problems, document.name)
        return config, ()
    limit = _machine_cores() if cores is None else cores
    lowered = {key: threads for key, threads in thread_caps(config).items() if threads > limit}
    if not lowered:
        return config, ()
    data = config.model_dump()
    for key in lowered:
        *above, name = key.split(".")
        section = data
        for part in above:
            section = section[part]
        section[name] = limit
    notes = tuple(
        f"{key}: lowered from {threads} to {limit}, the cores here." for key, threads in lowered.items()
    )
    return Config.model_validate(data), notes


def _machine_cores() -> int:
    from agent.compute import len_usable_cores

    return len_usable_cores()


def _persona_path(document: Document, file: Path, persona: str) -> Path:
    """The persona's file: shipped by name; by path from the file's own folder, or from here if set by --set."""
    if persona.endswith((".yaml", ".yml")):
        named_here = ("persona",) in document.labels
        path = Path(persona) if named_here else file.parent / persona
        hint = "Check the path." if named_here else "The path is taken from the file's own folder."
        problem = f"{path} does not exist."
    else:
        path = CONFIGS / "personas" / f"{persona}.yaml"
        names = sorted(entry.stem for entry in path.parent.glob("*.yaml"))
        hint = f"Shipped: {', '.join(names)}; or name a .yaml file."
        problem = f"there is no persona {persona!r}."
    if not path.is_file():
        document.add(("persona",), problem, hint)
        raise error_of(document.problems, document.name)
    return path
