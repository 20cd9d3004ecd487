"""Where the models lie, and whether they are whole: quickly at every start, in full on request."""

from __future__ import annotations

import hashlib
import importlib.util
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agent.errors import AgentError
from agent.models.files import sha256_of
from agent.models.manifest import Manifest, Model, load_manifest
from agent.models.places import models_root
from agent.models.record import FileRecord, Record, read_record, write_record

State = Literal["ok", "absent", "broken"]


@dataclass(frozen=True, slots=True)
class Status:
    """Whether a model can be used; ``detail`` says what is wrong with it when it cannot."""

    name: str
    state: State
    detail: str = ""


class Store:
    """The models on this machine, by the manifest's names.

    ``root`` defaults to ``$BUDGIE_MODELS``, else ``$XDG_CACHE_HOME/budgie/models``.
    """

    def __init__(self, root: Path | None = None, manifest: Manifest | None = None) -> None:
        self.root = root if root is not None else models_root()
        self.manifest = manifest if manifest is not None else load_manifest()

    def path(self, name: str) -> Path:
        """The file of a model, or its folder where its users take a folder (Whisper).

        A path to a file or folder of your own is given back as it is. Raises AgentError: unknown name (exit 2);
        absent, cut short or altered (exit 3), naming the file and the way out.
        """
        if name not in self.manifest.models and (os.sep in name or Path(name).exists()):
            return self._own(Path(name).expanduser())
        model = self.manifest.get(name)
        status = self.check(name)
        if status.state == "absent":
            raise AgentError(
                "models.missing", f"The model {name} is not here ({status.detail}).", _way_out(model, name), 3
            )
        if status.state == "broken":
            raise AgentError("models.altered", status.detail, _way_out(model, name, force=True), 3)
        return self.location(name)

    def location(self, name: str) -> Path:
        """Where a model lies or would lie; nothing is checked."""
        model = self.manifest.get(name)
        if model.bundled:
            return bundled_path(model.bundled.package, model.bundled.member)
        folder = self.root / name
        return folder if model.folder else folder / file_names(model)[0]

    def check(self, name: str, *, full: bool = False) -> Status:
        """Whether a model is there and whole: by size and time of change, or with ``full`` by hash."""
        model = self.manifest.get(name)
        if model.bundled:
            return self._check_bundled(name, model, full=full)
        folder = self.root / name
        if not folder.is_dir():
            return Status(name, "absent", f"{folder} does not exist")
        record = read_record(folder)
        if record is None:
            return Status(name, "broken", f"{folder} holds no record of how {name} was assembled.")
        if stale := self._differs_from_manifest(model, record):
            return Status(name, "broken", f"{folder}: {stale}")
        for file in file_names(model):
            if wrong := self._check_file(folder, file, record, full=full):
                return Status(name, "broken", wrong)
        return Status(name, "ok")

    def fingerprint(self, path: Path) -> str:
        """What tells this model file from any other: its SHA-256 where it is recorded, else path, size and time."""
        record = read_record(path.parent)
        if record is not None and path.name in record.files:
            return record.files[path.name].sha256
        stat = path.stat()
        return hashlib.sha256(f"{path.resolve()} {stat.st_size} {stat.st_mtime_ns}".encode()).hexdigest()

    def _own(self, path: Path) -> Path:
        if not path.exists():
            raise AgentError("models.no_file", f"{path} does not exist.", "Check the path of the model.")
        return path

    def _differs_from_manifest(self, model: Model, record: Record) -> str:
        if missing := set(file_names(model)) - set(record.files):
            return f"{min(missing)} is not recorded."
        for file in model.files:
            accepted = {file.sha256} | {source.sha256.get(file.name, file.sha256) for source in model.sources}
            if record.files[file.name].sha256 not in accepted:
                return f"{file.name} is another version than the manifest lists."
        if model.requantise:
            (origin,) = self.manifest.get(model.requantise.source).files
            made = record.recipe
            if made is None or (made.source_sha256, made.type) != (origin.sha256, model.requantise.type):
                return "it was made by another recipe than the manifest lists."
        return ""

    def _check_file(self, folder: Path, name: str, record: Record, *, full: bool) -> str:
        path, known = folder / name, record.files[name]
        try:
            stat = path.stat()
        except OSError:
            return f"{path} is missing."
        if stat.st_size != known.bytes:
            return f"{path} has {stat.st_size:,} bytes instead of {known.bytes:,}."
        if not full and stat.st_mtime_ns == known.mtime_ns:
            return ""
        if (found := sha256_of(path)) != known.sha256:
            return f"{path} was altered: its SHA-256 is {found} instead of {known.sha256}."
        if stat.st_mtime_ns != known.mtime_ns:
            _note_time(folder, name, record, stat.st_mtime_ns)
        return ""

    def _check_bundled(self, name: str, model: Model, *, full: bool) -> Status:
        path, (file,) = self.location(name), model.files
        if not path.is_file():
            return Status(name, "absent", f"{path} does not exist")
        size = path.stat().st_size
        if size != file.bytes:
            return Status(name, "broken", f"{path} has {size:,} bytes instead of {file.bytes:,}.")
        if full and (found := sha256_of(path)) != file.sha256:
            return Status(name, "broken", f"{path}: its SHA-256 is {found} instead of {file.sha256}.")
        return Status(name, "ok")


def _note_time(folder: Path, name: str, record: Record, mtime_ns: int) -> None:
    """Remember a file that was touched or copied, and hashed again: the next start need not hash it."""
    known = record.files[name]
    fresh = FileRecord(bytes=known.bytes, sha256=known.sha256, mtime_ns=mtime_ns)
    try:
        write_record(folder, record.model_copy(update={"files": record.files | {name: fresh}}))
    except OSError:
        return  # a folder that cannot be written is hashed each time


def _way_out(model: Model, name: str, *, force: bool = False) -> str:
    if model.bundled:
        return "It is part of the Python packages: run `make venv`."
    return f"Run: main.py models pull {'--force ' if force else ''}{name}"


def file_names(model: Model) -> tuple[str, ...]:
    """Names of a model's files, the main one first."""
    return (model.requantise.file,) if model.requantise else tuple(file.name for file in model.files)


def bundled_path(package: str, member: str) -> Path:
    """Path of a file inside an installed package, which is found but not imported."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise AgentError(
            "models.no_package", f"The package {package} is not installed.", "Run `make venv`.", 3
        )
    return Path(spec.origin).parent / member
