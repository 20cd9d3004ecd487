"""Which channel of a file is whose, and its samples."""

from __future__ import annotations

from pathlib import Path

from agent.calls.model import Role, Track
from stages.audio.read import channels_of, read_audio
from stages.contract import Audio
from stages.errors import InputError


def read_track(path: Path, track: Track) -> Audio:
    """A channel at 16 kHz; ``path`` is the call's file, beside which the audio lies. Raises InputError."""
    return read_audio(path.parent / track.file, channel=track.channel).samples


def channels_and_tracks(path: Path, caller_channel: int | None) -> dict[Role, Track]:
    """Who is where in a plain recording: mono is the caller; of two channels the other one is the agent's.

    Raises InputError if there are several channels and none is chosen, or the chosen one does not exist.
    """
    channels = channels_of(path)
    have = f"{path} has {channels} channels (0 to {channels - 1})"
    if channels > 1 and caller_channel is None:
        raise InputError(
            "call.channel", f"{have}.", "Say which one is the caller's, e.g. --caller-channel 0."
        )
    ours = caller_channel or 0
    if not 0 <= ours < channels:
        have = f"{path} has only channel 0 (mono)" if channels == 1 else have
        raise InputError("call.channel", f"{have}, not {ours}.", "Choose one of them for --caller-channel.")
    tracks: dict[Role, Track] = {"caller": Track(file=path.name, channel=ours)}
    if channels == 2:
        tracks["agent"] = Track(file=path.name, channel=1 - ours)
    return tracks
