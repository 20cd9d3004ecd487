"""Loads a call: its audio at 16 kHz, its labels, and the caller's turns."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from agent.calls.condition import condition_notes
from agent.calls.gate import gated
from agent.calls.label import Progress, ignore, interleaved, pulled_back
from agent.calls.model import SUFFIX, Call, Segment, check_segments, read_call
from agent.calls.relabel import OFFLINE_PASS, label_recording
from agent.calls.track import channels_and_tracks, read_track
from agent.calls.turns import LabelledTurn, caller_turns
from stages.audio.level import remove_dc
from stages.contract import RATE_HZ, Audio, VoiceActivity
from stages.errors import InputError

Origin = Literal["labels", "offline_vad"]


@dataclass(frozen=True, slots=True)
class LoadedCall:
    """A call ready to be replayed.

    Attributes:
        call: what its file says; for a plain recording, what was found in it.
        caller: the caller's channel, float32, 16 kHz.
        agent: the recorded agent's channel, likewise; None where there is none of its own.
        turns: the caller's turns, ends pulled back to the last audible speech.
        speech_end_source: whether the turns come from the file's labels or from the offline pass.
        notes: what a reader of the results should know about this recording.
    """

    call: Call
    caller: Audio
    agent: Audio | None
    turns: tuple[LabelledTurn, ...]
    speech_end_source: Origin
    notes: tuple[str, ...] = field(default=())

    @property
    def seconds(self) -> float:
        """Length of the caller's channel."""
        return len(self.caller) / RATE_HZ


def load_call(
    path: str | Path,
    caller_channel: int | None = None,
    *,
    vad: VoiceActivity | None = None,
    progress: Progress = ignore,
) -> LoadedCall:
    """Load a recording (mono: the caller; stereo: say which channel) or a ``NAME.call.json``.

    A recording without labels is labelled by the offline pass with ``vad`` (Silero unless given), told to
    ``progress``. Raises InputError, one sentence that names the file, for audio or labels that are wrong.
    """
    path = Path(path)
    if path.name.endswith(".json"):
        if caller_channel is not None:
            raise InputError(
                "call.channel",
                f"{path} says itself which channel is the caller's.",
                "Leave --caller-channel out, or name the WAV.",
            )
        return _load_labelled(path)
    return _load_recording(path, caller_channel, vad or silero(), progress)


def silero() -> VoiceActivity:
    """The voice activity of the offline pass."""
    from stages.endpoint.silero import SileroVad

    return SileroVad()


def _load_labelled(path: Path) -> LoadedCall:
    call = read_call(path)
    track = call.caller or call.mixed
    assert track is not None  # read_call has seen to it
    caller = read_track(path, track)
    agent = None if call.agent is None else read_track(path, call.agent)
    longest = max(len(caller), 0 if agent is None else len(agent))
    check_segments(path, "turns", call.turns, longest / RATE_HZ)
    notes = tuple(f"unknown key `{key}` of the file is not used" for key in call.remarks) + condition_notes(
        caller
    )
    if call.caller_gated_by_turns:
        caller = gated(caller, call.turns)
        notes += ("both voices share one channel: the caller is cut out by the labels, good to about 0.2 s",)
    segments = call.turns if call.exact else _exact(call.turns, caller, agent)
    turns = _turns_of(path, segments)
    call = call.model_copy(update={"seconds": longest / RATE_HZ, "turns": segments})
    origin: Origin = "offline_vad" if call.timing_source == OFFLINE_PASS else "labels"
    return LoadedCall(call, caller, agent, turns, origin, notes)


def _exact(segments: tuple[Segment, ...], caller: Audio, agent: Audio | None) -> tuple[Segment, ...]:
    level = {"caller": remove_dc(caller)}
    if agent is not None:
        level["agent"] = remove_dc(agent)
    pulled = (pulled_back(one, level[one.role]) if one.role in level else one for one in segments)
    return interleaved(tuple(pulled))


def _load_recording(path: Path, channel: int | None, vad: VoiceActivity, progress: Progress) -> LoadedCall:
    tracks = channels_and_tracks(path, channel)
    audio = {role: read_track(path, track) for role, track in tracks.items()}
    call = label_recording(path, path, tracks, audio, vad, progress=progress)
    notes = condition_notes(audio["caller"])
    if "agent" not in audio:
        notes += ("one channel without labels: every voice on it counts as the caller",)
    turns = _turns_of(path, call.turns)
    return LoadedCall(call, audio["caller"], audio.get("agent"), turns, "offline_vad", notes)


def _turns_of(path: Path, segments: tuple[Segment, ...]) -> tuple[LabelledTurn, ...]:
    turns = caller_turns(segments)
    if not turns:
        what = "labels" if path.name.endswith(SUFFIX) else "holds"
        raise InputError(
            "call.silent",
            f"{path} {what} no speech of the caller.",
            "Check the file and the caller's channel.",
        )
    return turns
