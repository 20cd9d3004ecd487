"""Calls made of tones, and a voice activity that hears them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile as sf

from stages.audio.level import dbfs
from stages.contract import Audio

RATE = 16_000


class LevelVad:
    """Hears speech in every window above -50 dBFS; keeps no state."""

    def probability(self, window: Audio) -> float:
        return 1.0 if dbfs(window) > -50 else 0.0

    def reset(self) -> None:
        pass


class ToneVoice:
    """Speaks 0.1 s a letter at speed 1, with 50 ms of silence in front and 200 ms behind."""

    name = "tone"
    rate_hz = 24_000

    def speak(self, text: str, speed: float = 1.0) -> Audio:
        samples = round(0.1 * sum(map(str.isalpha, text)) / speed * self.rate_hz)
        if not samples:
            return np.zeros(0, np.float32)
        tone = 0.3 * np.sin(2 * np.pi * 400 * np.arange(samples) / self.rate_hz)
        return np.concatenate([np.zeros(1_200), tone, np.zeros(4_800)]).astype(np.float32)


def bursts(seconds: float, *spans: tuple[float, float], level: float = 0.3) -> Audio:
    """A channel at 16 kHz that sounds in the given spans, in seconds."""
    audio = np.zeros(round(seconds * RATE), np.float32)
    for start_s, end_s in spans:
        at = np.arange(round(start_s * RATE), round(end_s * RATE))
        audio[at] = level * np.sin(2 * np.pi * 400 * at / RATE)
    return audio


@pytest.fixture
def write_call_file(tmp_path: Path) -> Callable[..., Path]:
    """Writes a stereo call (caller left) and its JSON; what is given replaces keys of the JSON."""

    def write(
        turns: list[dict[str, Any]] | None, seconds: float = 10.0, audio: Audio | None = None, **keys: Any
    ) -> Path:
        own = {
            role: [(t["start_s"], t["end_s"]) for t in turns or [] if t.get("role") == role]
            for role in ("caller", "agent")
        }
        if audio is None:
            audio = np.stack([bursts(seconds, *own["caller"]), bursts(seconds, *own["agent"])], axis=1)
        sf.write(tmp_path / "a.wav", audio, RATE)
        call: dict[str, Any] = {
            "name": "a",
            "caller": {"file": "a.wav", "channel": 0},
            "agent": {"file": "a.wav", "channel": 1},
            "turns": turns,
            "caller_gated_by_turns": False,
        }
        call = {key: value for key, value in (call | keys).items() if value is not None}
        path = tmp_path / "a.call.json"
        path.write_text(json.dumps(call))
        return path

    return write


def segment(role: str, start_s: float, end_s: float, text: str = "") -> dict[str, Any]:
    return {"role": role, "start_s": start_s, "end_s": end_s, "text": text}
