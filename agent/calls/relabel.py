"""Labels a recording by the offline pass and makes a call of it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from agent.calls.label import Progress, ignore, interleaved, label_channel
from agent.calls.model import Call, Role, Segment, Track, read_call
from agent.calls.track import channels_and_tracks, read_track
from stages.contract import RATE_HZ, Audio, Recogniser, VoiceActivity
from stages.errors import InputError

OFFLINE_PASS = "offline pass: voice activity over the whole recording, both ends by level"
"""The ``timing_source`` of its labels: a report names them as such, not as labels that someone made."""


def relabel(
    path: Path,
    out: Path,
    caller_channel: int | None,
    vad: VoiceActivity,
    *,
    recogniser: Recogniser | None = None,
    progress: Progress = ignore,
) -> Call:
    """The call in ``path`` (a recording, or a ``NAME.call.json`` whose labels are not used) with new labels.

    The result names its audio relative to ``out``. Texts come from ``recogniser``; without one, those of old
    labels are kept where they lie under the new. Raises InputError as loading does, and for two voices on one
    channel.
    """
    old = read_call(path) if path.name.endswith(".json") else None
    tracks = channels_and_tracks(path, caller_channel) if old is None else _tracks(path, old)
    audio = {role: read_track(path, track) for role, track in tracks.items()}
    call = label_recording(path, out, tracks, audio, vad, recogniser=recogniser, progress=progress)
    if not call.turns:
        raise InputError("call.silent", f"{path} holds no speech that could be found.", "Check the file.")
    if old is None:
        return call
    kept = call.model_dump(include={"seconds", "timing_source"}) | {"exact": False}
    kept |= {"caller": call.caller, "agent": call.agent, "turns": call.turns}
    if recogniser is None:
        kept["turns"] = _with_texts(call.turns, old.turns)
    else:
        kept["text_source"] = call.text_source
    return old.model_copy(update=kept)


def label_recording(
    path: Path,
    out: Path,
    tracks: Mapping[Role, Track],
    audio: Mapping[Role, Audio],
    vad: VoiceActivity,
    *,
    recogniser: Recogniser | None = None,
    progress: Progress = ignore,
) -> Call:
    """A call of the channels in ``audio``, labelled by the offline pass; it may turn out to hold no speech."""
    found = []
    for at, (role, channel) in enumerate(audio.items()):
        share = partial(_share, progress, at, len(audio))
        found.append(label_channel(channel, role, vad, recogniser=recogniser, progress=share))
    here = {role: _relative(path, track, out) for role, track in tracks.items()}
    return Call(
        name=path.stem,
        seconds=max(map(len, audio.values())) / RATE_HZ,
        caller=here["caller"],
        agent=here.get("agent"),
        turns=interleaved(*found),
        text_source="" if recogniser is None else "the recogniser, per segment, unchecked",
        timing_source=OFFLINE_PASS,
    )


def _share(progress: Progress, part: int, parts: int, share: float) -> None:
    progress((part + share) / parts)


def _tracks(path: Path, call: Call) -> dict[Role, Track]:
    if call.caller is None:
        raise InputError(
            "call.mixed",
            f"{path}: both voices share one channel and cannot be told apart by the offline pass.",
            "Its own labels stay the better ones.",
        )
    tracks: dict[Role, Track] = {"caller": call.caller}
    if call.agent is not None:
        tracks["agent"] = call.agent
    return tracks


def _relative(path: Path, track: Track, out: Path) -> Track:
    file = os.path.relpath(path.parent / track.file, out.parent)
    return track.model_copy(update={"file": file})


def _with_texts(segments: Sequence[Segment], old: Sequence[Segment]) -> tuple[Segment, ...]:
    """Each old text goes to the new segment of its party that it overlaps most."""
    words: list[list[str]] = [[] for _ in segments]
    for label in old:
        shared = [_overlap(label, one) for one in segments]
        best = max(range(len(segments)), key=shared.__getitem__, default=None)
        if best is not None and shared[best] > 0 and label.text:
            words[best].append(label.text)
    return tuple(
        one.model_copy(update={"text": " ".join(texts)}) for one, texts in zip(segments, words, strict=True)
    )


def _overlap(one: Segment, two: Segment) -> float:
    if one.role != two.role:
        return 0.0
    return min(one.end_s, two.end_s) - max(one.start_s, two.start_s)
