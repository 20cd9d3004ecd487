"""Sounds without speech through voice activity, turn taking and recognition, offline: how many turns they make."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from agent import turn as taking
from agent.reading import Reading
from stages.audio.dc import DcBlocker
from stages.audio.mix import hum, white_noise
from stages.audio.read import read_audio
from stages.contract import RATE_HZ, WINDOW_SAMPLES, Audio, Recogniser, VoiceActivity
from stages.endpoint.voice_gate import VoiceGate, VoiceThresholds

WINDOW_MS = WINDOW_SAMPLES * 1000.0 / RATE_HZ
HOLD_MS = 320.0
"""A short hold: noise that is not a turn at this one is none at a longer one."""

PIECE_S = 20
SOUNDS = (".wav", ".ogg", ".mp3", ".m4a")


class NoiseFigures(TypedDict):
    """``opened``: voice was found; ``answered``: words were; ``asked``: the agent would ask to repeat."""

    sound: str
    seconds: float
    opened: int
    answered: int
    asked: int
    texts: list[str]


class Listener:
    """Walks through one sound as the pipeline would, without waiting."""

    def __init__(self, vad: VoiceActivity, recogniser: Recogniser, limits: VoiceThresholds) -> None:
        self._vad, self._recogniser = vad, recogniser
        self._limits = limits
        self._rules = taking.Rules(hold_ms=lambda probability: HOLD_MS)

    def listen(self, name: str, audio: Audio) -> NoiseFigures:
        """The figures of ``audio`` (16 kHz)."""
        self._vad.reset()
        audio = DcBlocker(RATE_HZ).push(np.concatenate([audio, np.zeros(3 * RATE_HZ, dtype=np.float32)]))
        found = NoiseFigures(
            sound=name, seconds=round(audio.size / RATE_HZ, 1), opened=0, answered=0, asked=0, texts=[]
        )
        self._walk(audio, found)
        return found

    def _walk(self, audio: Audio, found: NoiseFigures) -> None:
        state, gate = taking.State(), VoiceGate(self._limits)
        reading: Reading | None = None
        for at in range(audio.size // WINDOW_SAMPLES):
            window = audio[at * WINDOW_SAMPLES : (at + 1) * WINDOW_SAMPLES]
            voice = gate.push(window, self._vad.probability(window))
            now = (at + 1) * WINDOW_MS
            events: list[taking.Event] = [
                taking.Window(now, voice.voiced, faint=voice.voiced and not voice.loud)
            ]
            while events:
                state, actions = taking.step(state, events.pop(0), self._rules)
                for action in actions:
                    if isinstance(action, taking.Open):
                        reading = Reading.of_turn(action.turn, action.start_ms)
                        found["opened"] += 1
                    elif isinstance(action, taking.Read):
                        assert reading is not None
                        reading, heard = self._read(audio, reading, action, now)
                        events.append(heard)
                    elif isinstance(action, taking.Commit):
                        found["answered" if action.text else "asked"] += 1
                        found["texts"].append(action.text)
                        events.append(taking.Played(action.reply))

    def _read(
        self, audio: Audio, reading: Reading, action: taking.Read, now: float
    ) -> tuple[Reading, taking.Heard]:
        reading, stretch = reading.next_stretch(action.covers_ms, now)
        per_ms = RATE_HZ / 1000.0
        heard = audio[round(stretch.start_ms * per_ms) : round(stretch.end_ms * per_ms)][-30 * RATE_HZ :]
        transcript = self._recogniser.transcribe(heard)
        reading = reading.read(stretch, transcript.text)
        rejected = transcript.rejected if not reading.text else None
        return reading, taking.Heard(action.turn, action.covers_ms, reading.text, rejected)


def recorded(folder: Path) -> Iterator[tuple[str, Audio]]:
    """Every sound in ``folder``."""
    for path in sorted(folder.iterdir()):
        if path.suffix in SOUNDS:
            yield path.name, read_audio(path).samples


def made(minutes: float) -> Iterator[tuple[str, Audio]]:
    """Silence, hum, white and brown noise, clicks and tones at changing levels, ``minutes`` in all."""
    pieces = max(6, round(minutes * 60.0 / PIECE_S))
    names = ("silence", "hum", "white noise", "brown noise", "clicks", "tones")
    for kind, name in enumerate(names):
        count = len(range(kind, pieces, len(names)))
        parts = [_piece(name, seed) for seed in range(count)]
        yield f"made: {name}", np.concatenate(parts)


def _piece(name: str, seed: int) -> Audio:
    """20 s of it; the level falls by 6 dB a step, eight steps from -12 dBFS."""
    rng, size = np.random.default_rng(seed), PIECE_S * RATE_HZ
    gain = 10 ** (-12.0 / 20.0) * 0.5 ** (seed % 8)
    if name == "silence":
        return np.zeros(size, dtype=np.float32)
    sound: NDArray[np.floating[Any]]
    if name == "hum":
        sound = hum(size, RATE_HZ, 50.0 if seed % 2 else 60.0)
    elif name == "white noise":
        sound = white_noise(size, seed)
    elif name == "brown noise":
        steps = np.cumsum(white_noise(size, seed))
        sound = steps - np.convolve(steps, np.full(1601, 1 / 1601), mode="same")
    elif name == "clicks":
        sound = (rng.random(size) < 0.0004) * rng.uniform(-1.0, 1.0, size)
    else:
        at = np.arange(size) / RATE_HZ
        pitch = np.repeat(rng.uniform(300.0, 1600.0, (2, PIECE_S * 5)), RATE_HZ // 5, axis=1)
        on = np.repeat(rng.random(PIECE_S * 5) < 0.5, RATE_HZ // 5)
        sound = np.sin(2 * np.pi * pitch * at).sum(axis=0) * on
    loud = max(1e-9, float(np.sqrt(np.mean(np.square(sound)))))
    piece: Audio = np.clip(sound * gain / loud, -1.0, 1.0).astype(np.float32)
    return piece
