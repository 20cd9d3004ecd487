"""Writes a live call down while it runs: both voices on one time line, left the caller, right the agent, at 16 kHz."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from agent.errors import AgentError
from agent.transports.play_queue import Samples
from stages.contract import RATE_HZ

BEHIND = 2 * RATE_HZ
"""The agent's voice is noted ahead of the caller's and a little late: this much is held back before it is written."""


class CallRecording:
    """``path`` is a stereo WAV that grows; it is whole after every write but for its length field.

    Raises AgentError where it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        import soundfile

        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = soundfile.SoundFile(path, "w", RATE_HZ, 2, subtype="PCM_16", format="WAV")
        except (OSError, soundfile.LibsndfileError) as error:
            raise AgentError(
                "talk.record", f"{path} cannot be written: {error}.", "Choose another --record.", 3
            ) from error
        self._held = np.zeros((0, 2), dtype=np.int16)
        self._written = 0  # samples in the file: where `held` begins
        self._caller = 0  # samples of the caller so far

    def caller(self, samples: Samples) -> None:
        """The next samples that hearing was given."""
        self._place(self._caller, samples, 0)
        self._caller += len(samples)
        ripe = self._caller - BEHIND - self._written
        if ripe >= RATE_HZ:
            self._write(ripe)

    def agent(self, position_ms: float, samples: Samples) -> None:
        """Samples of the agent that sound from ``position_ms`` of the caller's stream on."""
        self._place(round(position_ms * RATE_HZ / 1000.0), samples, 1)

    def close(self) -> None:
        """Write the rest and end the file."""
        self._write(len(self._held))
        self._file.close()

    def _place(self, start: int, samples: Samples, channel: int) -> None:
        start -= self._written
        if start < 0:
            samples, start = samples[-start:], 0
        if start + len(samples) > len(self._held):
            more = np.zeros((start + len(samples) - len(self._held), 2), dtype=np.int16)
            self._held = np.concatenate([self._held, more])
        self._held[start : start + len(samples), channel] = samples

    def _write(self, count: int) -> None:
        self._file.write(self._held[:count])
        self._file.flush()
        self._held = self._held[count:].copy()
        self._written += count
