"""What another agent did in a call, written down as it happens: events and the very samples that left it.

Standard library only: the glue that writes it runs in the other agent's own environment.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

EVENTS, SAMPLES = "events.jsonl", "agent.i16"
TAIL_QUIET_S = 6.0
"""A peer is followed until it was quiet for this long after the recording: its own watchdogs take up to 5 s."""
LONGEST_TAIL_S = 30.0
"""No reply is waited for longer than this after the recording has ended."""


@dataclass(frozen=True)
class Job:
    """What a glue process is told.

    Attributes:
        caller: the caller's channel: int16, mono, 16 kHz, without a header.
        out: where the log goes.
        prompt: the system prompt.
        whisper: folder of the Whisper model (CTranslate2).
        voice: the piper voice, an .onnx file with its settings beside it.
        server: address of the OpenAI-compatible server, ending in /v1.
        max_tokens: longest reply.
        spoken_s: where the caller speaks, start and end of each turn.
        options: what differs between the settings of one agent.
    """

    caller: Path
    out: Path
    prompt: str
    whisper: Path
    voice: Path
    server: str
    max_tokens: int
    spoken_s: Sequence[tuple[float, float]]
    options: Mapping[str, Any]

    def save(self, path: Path) -> None:
        """Write the job as JSON."""
        plain = {key: str(value) if isinstance(value, Path) else value for key, value in vars(self).items()}
        path.write_text(json.dumps(plain), encoding="utf-8")


def read_job(path: Path) -> Job:
    """The job that was saved at ``path``."""
    data = json.loads(path.read_text(encoding="utf-8"))
    places = {key: Path(data[key]) for key in ("caller", "out", "whisper", "voice")}
    return Job(**{**data, **places})


class PlayLog:
    """Appends events in the order in which they happen. Times are milliseconds on one monotonic clock."""

    def __init__(self, folder: Path, rate_hz: int) -> None:
        self._events = (folder / EVENTS).open("w", encoding="utf-8", buffering=1)
        self._samples = (folder / SAMPLES).open("wb")
        self.last_ms = 0.0
        self._note(0.0, "rate", hz=rate_hz)

    def origin(self, at_ms: float) -> None:
        """The first sample of the caller began."""
        self._note(at_ms, "origin")

    def turn_end(self, at_ms: float, heard: str) -> None:
        """The agent took the caller's turn to be over, and these to be its words."""
        self._note(at_ms, "turn_end", heard=heard)

    def piece(self, at_ms: float, text: str) -> None:
        """The audio from here on speaks ``text``, in answer to the turn that ended last."""
        self._note(at_ms, "piece", text=text)

    def audio(self, at_ms: float, pcm: bytes) -> None:
        """A block of int16 samples, the first of which leaves at ``at_ms``."""
        self._samples.write(pcm)
        self._note(at_ms, "audio", samples=len(pcm) // 2)

    def cut(self, at_ms: float) -> None:
        """The agent stopped in the middle of a reply."""
        self._note(at_ms, "cut")

    def setting(self, name: str, value: Any) -> None:
        """A setting that the glue itself had to find out."""
        self._note(self.last_ms, "setting", name=name, value=value)

    def close(self) -> None:
        """End the log."""
        self._note(self.last_ms, "over")
        self._events.close()
        self._samples.close()

    def _note(self, at_ms: float, what: str, **more: Any) -> None:
        self.last_ms = max(self.last_ms, at_ms)
        self._events.write(json.dumps({"at_ms": round(at_ms, 3), "what": what, **more}) + "\n")
