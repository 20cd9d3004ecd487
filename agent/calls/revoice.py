"""Speaks a written human dialogue with the humans' timing: each segment begins when the human began."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from agent.calls.compose import Placed, Sound, Spoken, spoken, write_call
from agent.calls.label import Progress, ignore
from agent.calls.make import Voices
from agent.calls.model import Call, Segment, Strict, check_segments
from agent.calls.parse import parse_json
from agent.calls.voices import FASTEST, SLOWEST, PacedVoice
from stages.errors import InputError

_TAIL_S = 2.0
_JOINT_S = 0.05
"""Kept free before the same party's next segment when a text does not fit its time at the fastest pace."""

_FADE_S = 0.01


class Dialogue(Strict):
    """A conversation as text, with the time of every segment."""

    name: str = Field(min_length=1, description="Name of the dialogue.")
    task: str = Field(default="", description="What the caller wants.")
    truncated: bool = Field(
        default=False, description="True where the conversation goes on after the last segment."
    )
    source: str = Field(default="", description="Where it is from.")
    licence: str = Field(default="", description="Its licence.")
    text_source: str = Field(default="", description="Who wrote the texts down.")
    segments: tuple[Segment, ...] = Field(min_length=1, description="What is said when, by start.")


def revoice(
    path: Path, out: Path, voices: Voices, *, sound: Sound | None = None, progress: Progress = ignore
) -> Call:
    """Speak the dialogue in ``path`` and write the call beside ``out``.

    Starts are exact. Each segment is spoken as near to the human's length as paces from 0.5 to 2 allow; its label
    holds the pace, the length wanted (``wanted_s``), and the end that was reached. Where even the fastest pace would
    run into the party's next segment the rest is cut off. Raises InputError, EnvironmentFault.
    """
    dialogue = parse_json(path, Dialogue)
    check_segments(path, "segments", dialogue.segments)
    sound = sound or Sound()
    placed = []
    for at, segment in enumerate(dialogue.segments):
        placed.append(_place(path, segment, _room(dialogue.segments, at), voices.of(segment.role), sound))
        progress((at + 1) / len(dialogue.segments))
    samples = max(one.end for one in placed) + round(_TAIL_S * sound.rate_hz)
    about = {
        "source": dialogue.source,
        "licence": dialogue.licence,
        "text_source": dialogue.text_source,
        "note": "Made by a program: words and starts are human, both voices are synthetic.",
        "made": {
            "dialogue": dialogue.name,
            "task": dialogue.task,
            "caller_voice": voices.caller.name,
            "agent_voice": voices.agent.name,
        },
    }
    return write_call(out, placed, samples, sound, about, path.parent)


def _room(segments: tuple[Segment, ...], at: int) -> float:
    """Seconds from a segment's start until the same party speaks again."""
    own = segments[at]
    later = (one.start_s for one in segments[at + 1 :] if one.role == own.role)
    return next(later, float("inf")) - own.start_s


def _place(path: Path, segment: Segment, room_s: float, voice: PacedVoice, sound: Sound) -> Placed:
    if not segment.text.strip():
        raise InputError(
            "call.words", f"{path}: the segment at {segment.start_s:g} s has no words.", "Add its text."
        )
    speed, one = _fitted(segment, voice, sound)
    if room_s < float("inf"):
        one = _cut(one, round((room_s - _JOINT_S) * sound.rate_hz), sound.rate_hz)
    extra = {"speed": round(speed, 3), "wanted_s": round(segment.seconds, 3)}
    return Placed(segment.role, one, round(segment.start_s * sound.rate_hz), extra)


def _fitted(segment: Segment, voice: PacedVoice, sound: Sound) -> tuple[float, Spoken]:
    """The pace and audio nearest the wanted length, of three tries each corrected by the one before."""
    wanted, speed = segment.seconds * sound.rate_hz, 1.0
    tries: list[tuple[float, float, Spoken]] = []
    for _ in range(3):
        one = spoken(voice, segment.text, speed, sound)
        tries.append((abs(one.samples - wanted), speed, one))
        speed = min(FASTEST, max(SLOWEST, speed * one.samples / wanted))
    _, best, one = min(tries, key=lambda tried: tried[0])
    return best, one


def _cut(one: Spoken, room: int, rate_hz: int) -> Spoken:
    """``one`` with at most ``room`` samples of voice, faded out where it was cut."""
    if one.samples <= room:
        return one
    last = one.first + max(room, 1)
    audio = one.audio[:last].copy()
    fade = min(round(_FADE_S * rate_hz), len(audio))
    audio[len(audio) - fade :] *= [1 - (at + 1) / fade for at in range(fade)]
    return Spoken(one.text, audio, one.first, last)
