"""Which calls a run is made of: files that were named, or whatever lies in a folder."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.calls.load import LoadedCall, load_call
from agent.calls.model import SUFFIX, read_call
from agent.config.load import Loaded
from agent.errors import AgentError
from agent.replay.result import CallResult, read_result
from agent.report.facts import Failure
from agent.report.machine import machine_facts
from stages.errors import InputError

AUDIO_SUFFIXES = (".wav", ".flac", ".mp3", ".ogg", ".opus", ".m4a", ".aiff", ".aif", ".au")
"""What is taken for a recording in a folder; a file that is named may end in anything."""

RESULTS = "calls"
"""The folder in a run's folder that keeps each call's result."""


@dataclass(frozen=True)
class Todo:
    """A call to replay.

    Attributes:
        load: reads it.
        recording: name of the file for both voices.
        keep_at: where its result is kept once it was fed to its end; None: it is not.
        fingerprint: what the result is worth keeping for.
        path: the file that it is read from, by whoever reads it in another process; None for a call in memory.
        channel: the caller's channel in it.
    """

    load: Callable[[], LoadedCall]
    recording: str
    keep_at: Path | None = None
    fingerprint: str = ""
    path: Path | None = None
    channel: int | None = None


Item = Todo | CallResult | Failure
"""A call to replay, one that was replayed before, or a file that is no call."""


def from_files(calls: Sequence[LoadedCall]) -> list[Item]:
    """Calls that were read already. Raises AgentError if two have the same name."""
    _check_names(call.call.name for call in calls)
    alone = len(calls) == 1
    return [Todo(_given(call), "call.wav" if alone else f"{file_name(call.call.name)}.wav") for call in calls]


def _given(call: LoadedCall) -> Callable[[], LoadedCall]:
    return lambda: call


def from_folder(
    folder: Path,
    out: Path,
    loaded: Loaded,
    *,
    max_gap_s: float | None,
    channel: int | None,
    again: bool,
    jobs: int = 1,
) -> list[Item]:
    """The calls of ``folder``, in the order of their names; those that ``out`` has results of come as results.

    A result counts only for the same files, configuration and machine; with ``again`` none does.

    Raises:
        AgentError: no call lies in the folder, or two have the same name.
    """
    items = from_paths(
        calls_in(folder), out, loaded, max_gap_s=max_gap_s, channel=channel, again=again, jobs=jobs
    )
    if all(isinstance(item, Failure) for item in items):
        problems = "; ".join(item.message for item in items if isinstance(item, Failure))
        raise AgentError(
            "replay.folder",
            f"{folder} holds no call." + (f" {problems}" if problems else ""),
            f"A call is a NAME{SUFFIX} or a recording ({', '.join(AUDIO_SUFFIXES)}).",
        )
    return items


def from_paths(
    paths: Iterable[Path],
    out: Path,
    loaded: Loaded,
    *,
    max_gap_s: float | None,
    channel: int | None = None,
    again: bool = False,
    jobs: int = 1,
) -> list[Item]:
    """The calls at ``paths``, as :func:`from_folder` takes them. Raises AgentError if two have the same name."""
    run = f"{loaded.sha256()} {max_gap_s} {channel} {machine_facts().model_dump_json()}"
    run += f" {jobs} at once" if jobs > 1 else ""
    found: list[Item] = []
    names: list[str] = []
    for path in paths:
        try:
            name, audio = _call_at(path)
        except InputError as error:
            found.append(Failure(call=path.name, turn=None, code=error.code, message=str(error)))
            continue
        names.append(name)
        fingerprint = _fingerprint(run, (path, *audio))
        keep_at = out / RESULTS / f"{file_name(name)}.json"
        kept = None if again else read_result(keep_at, fingerprint)
        of_labels = path.name.endswith(SUFFIX)
        found.append(
            kept
            or Todo(
                _loader(path, None if of_labels else channel),
                f"{file_name(name)}.wav",
                keep_at,
                fingerprint,
                path,
                None if of_labels else channel,
            )
        )
    _check_names(names)
    return found


def calls_in(folder: Path) -> list[Path]:
    """The labelled calls of a folder, and its recordings that no labelled call names, in the order of names."""
    labelled = sorted(folder.glob(f"*{SUFFIX}"))
    named: set[Path] = set()
    for path in labelled:
        try:
            named.update(_call_at(path)[1])
        except InputError:
            continue  # told when its turn comes
    audio = [path for path in folder.iterdir() if path.suffix.lower() in AUDIO_SUFFIXES and path.is_file()]
    return sorted([*labelled, *(path for path in audio if path not in named)])


def file_name(call: str) -> str:
    """A call's name as a file's: what could leave the folder or trouble a shell becomes ``_``."""
    return re.sub(r"[^\w .+-]", "_", call).lstrip(".") or "_"


def _call_at(path: Path) -> tuple[str, list[Path]]:
    """Name of the call at ``path``, and the audio files beside it that belong to it."""
    if not path.name.endswith(SUFFIX):
        return path.stem, []
    call = read_call(path)
    tracks = [track for track in (call.caller, call.agent, call.mixed) if track is not None]
    return call.name, sorted({path.parent / track.file for track in tracks})


def _loader(path: Path, channel: int | None) -> Callable[[], LoadedCall]:
    return lambda: load_call(path, channel)


def _fingerprint(run: str, files: Iterable[Path]) -> str:
    digest = hashlib.sha256(run.encode())
    for path in files:
        if path.is_file():  # one that is not is told when the call is read
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def fingerprint(run: str, paths: Iterable[Path]) -> str:
    """A hash of ``run`` and of the calls at ``paths``, labels and recordings.

    Raises AgentError if two calls have the same name, InputError if one cannot be read.
    """
    calls = [(path, *_call_at(path)) for path in paths]
    _check_names(name for _, name, _ in calls)
    return _fingerprint(run, [file for path, _, audio in calls for file in (path, *audio)])


def _check_names(names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        key = file_name(name).casefold()
        if key in seen:
            raise AgentError(
                "replay.same_name",
                f"two calls are called {name!r}: their results would lie over each other.",
                "Rename one (the file, or `name` in its .call.json).",
            )
        seen.add(key)
