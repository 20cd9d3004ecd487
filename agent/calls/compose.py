"""Puts spoken lines at exact times on two channels, adds the line and the noise, and writes the call.

Labels are measured on each voice alone, after the band and before the noise, by the rule of the labels: what lies
within 30 dB of the loudest 10 ms window. The first such sample of a line is put exactly where the line shall begin.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from agent.calls.model import SUFFIX, Call, Role, Segment, Track
from agent.calls.script import Noise
from agent.calls.voices import PacedVoice
from stages.audio.level import utterance_span
from stages.audio.mix import at_level, hum, mix_at_snr, white_noise
from stages.audio.read import read_audio
from stages.audio.resample import resample
from stages.audio.telephone import TELEPHONE_HZ, telephone_band
from stages.audio.write import write_wav
from stages.contract import RATE_HZ, Audio
from stages.errors import EnvironmentFault, InputError

SPEECH_DBFS = -23.0
"""Level of the speech of each line, so that pieces spoken alone are alike; peaks stay below full scale."""


@dataclass(frozen=True, slots=True)
class Sound:
    """The line that the call goes over."""

    band: Literal["wideband", "telephone"] = "wideband"
    codec: Literal["none", "mulaw"] = "none"
    noise: Noise = field(default_factory=Noise)
    seed: int = 1

    @property
    def rate_hz(self) -> int:
        """Sample rate of the call's file."""
        return TELEPHONE_HZ if self.band == "telephone" else RATE_HZ


@dataclass(frozen=True, slots=True)
class Spoken:
    """A text as audio at the call's rate, and where in it the voice begins and ends, in samples."""

    text: str
    audio: Audio
    first: int
    last: int

    @property
    def samples(self) -> int:
        """Length of the voice in it."""
        return self.last - self.first


@dataclass(frozen=True, slots=True)
class Placed:
    """A spoken text whose voice begins at sample ``at`` of the call. ``extra`` goes into its label."""

    role: Role
    spoken: Spoken
    at: int
    extra: dict[str, float]

    @property
    def end(self) -> int:
        """Sample after its last voiced one."""
        return self.at + self.spoken.samples

    def segment(self, rate_hz: int) -> Segment:
        """Its label."""
        start_s, end_s = round(self.at / rate_hz, 6), round(self.end / rate_hz, 6)
        return Segment(role=self.role, start_s=start_s, end_s=end_s, text=self.spoken.text, **self.extra)


def spoken(voice: PacedVoice, text: str, speed: float, sound: Sound) -> Spoken:
    """Speak ``text``. Raises InputError if nothing comes out of it."""
    audio = voice.speak(text, speed)
    if sound.band == "telephone":
        audio = telephone_band(audio, voice.rate_hz)
    else:
        audio = resample(audio, voice.rate_hz, sound.rate_hz)
    span = utterance_span(audio, sound.rate_hz)
    if span is None:
        raise InputError("call.unspeakable", f"The voice says nothing for {text!r}.", "Write words.")
    return Spoken(text, at_level(audio, sound.rate_hz, SPEECH_DBFS), *span)


def write_call(
    path: Path, placed: Sequence[Placed], samples: int, sound: Sound, about: dict[str, Any], base: Path
) -> Call:
    """Write ``NAME.wav`` (left: caller, right: agent) and ``NAME.call.json``; ``path`` is either, or DIR/NAME.

    ``about`` are further fields of the call; a noise file is looked for from ``base``. Raises InputError for a noise
    file that cannot be read, EnvironmentFault if the disk refuses.
    """
    name = call_name(path)
    wav, labels = path.with_name(f"{name}.wav"), path.with_name(f"{name}{SUFFIX}")
    caller = _track("caller", placed, samples)
    agent = _track("agent", placed, samples)
    caller = _with_noise(caller, sound, base)
    subtype: Literal["ULAW", "PCM_16"] = "ULAW" if sound.codec == "mulaw" else "PCM_16"
    write_wav(wav, np.stack([caller, agent], axis=1), sound.rate_hz, subtype=subtype)
    segments = sorted((one.segment(sound.rate_hz) for one in placed), key=lambda one: one.start_s)
    call = Call(
        name=name,
        synthetic=True,
        exact=True,
        seconds=samples / sound.rate_hz,
        caller=Track(file=wav.name, channel=0),
        agent=Track(file=wav.name, channel=1),
        turns=tuple(segments),
        timing_source="exact: measured on each voice alone, before noise",
        **about,
    )
    save_call(labels, call)
    return call


def call_name(path: Path) -> str:
    """NAME of DIR/NAME, DIR/NAME.wav and DIR/NAME.call.json."""
    return path.name.removesuffix(SUFFIX).removesuffix(".wav")


def save_call(path: Path, call: Call) -> None:
    """Write a call's JSON, whole or not at all. Raises EnvironmentFault if the disk refuses."""
    data = call.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    text = json.dumps({"schema": call.schema_, **data}, indent=1, ensure_ascii=False) + "\n"
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        raise EnvironmentFault(
            "call.write",
            f"{path} cannot be written: {error.strerror}.",
            "Check the folder and the disk space.",
        ) from error


def _track(role: Role, placed: Sequence[Placed], samples: int) -> Audio:
    track = np.zeros(samples, np.float32)
    for one in placed:
        if one.role != role:
            continue
        # What lies before the voice is quiet, and may overlap the line before.
        start = one.at - one.spoken.first
        audio = one.spoken.audio[max(0, -start) :]
        start = max(0, start)
        track[start : start + len(audio)] += audio[: samples - start]
    return track


def _with_noise(caller: Audio, sound: Sound, base: Path) -> Audio:
    noise = sound.noise
    if noise.kind == "none":
        return caller
    rate_hz = sound.rate_hz
    if noise.kind == "white":
        under = white_noise(len(caller), sound.seed)
    elif noise.kind == "hum":
        under = hum(len(caller), rate_hz)
    else:
        under = read_audio(base / str(noise.file), rate_hz=rate_hz).samples
    return mix_at_snr(caller, under, noise.snr_db, rate_hz)
