"""Silero voice activity on onnxruntime."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stages.contract import RATE_HZ, WINDOW_SAMPLES, Audio
from stages.endpoint.config import VadConfig
from stages.errors import InputError
from stages.onnx import bundled, open_session

_CONTEXT_SAMPLES = 64
"""The model wants the last 64 samples of the window before, in front of each window."""


def _blank_input() -> Audio:
    return np.zeros((1, _CONTEXT_SAMPLES + WINDOW_SAMPLES), dtype=np.float32)


def _blank_state() -> NDArray[np.float32]:
    return np.zeros((2, 1, 128), dtype=np.float32)


class SileroVad:
    """Speech probability of one stream, window by window. Holds the model's state: one object a stream.

    Method: Silero VAD v5 (https://github.com/snakers4/silero-vad). Clearing the state in silence follows
    pipecat 1.14, which found that music and long silence make the model deaf to what comes next.
    """

    def __init__(self, config: VadConfig | None = None) -> None:
        """Open the model. Raises EnvironmentFault when it is missing or unreadable."""
        self._config = config or VadConfig()
        path = self._config.model_path or bundled("audio/vad/data/silero_vad.onnx")
        self._session = open_session(path, threads=1)
        self._rate = np.array(RATE_HZ, dtype=np.int64)
        self._input, self._state = _blank_input(), _blank_state()
        self._windows = self._quiet = 0

    def probability(self, window: Audio) -> float:
        """Probability that ``window`` (float32, 512 samples at 16 kHz) holds speech, in [0, 1]."""
        if window.shape != (WINDOW_SAMPLES,):
            raise InputError(
                "audio.window",
                f"A window has {WINDOW_SAMPLES} samples at {RATE_HZ} Hz, not shape {window.shape}.",
            )
        self._input[0, _CONTEXT_SAMPLES:] = window
        output, self._state = self._session.run(
            None, {"input": self._input, "state": self._state, "sr": self._rate}
        )
        self._input[0, :_CONTEXT_SAMPLES] = window[-_CONTEXT_SAMPLES:]
        speech = float(output[0, 0])
        self._clear_in_silence(speech)
        return speech

    def reset(self) -> None:
        """Forget the stream so far."""
        self._input, self._state = _blank_input(), _blank_state()
        self._windows = self._quiet = 0

    def _clear_in_silence(self, speech: float) -> None:
        config = self._config
        self._windows += 1
        self._quiet = self._quiet + 1 if speech < config.reset_below else 0
        due = config.reset_after_s > 0 and self._windows * WINDOW_SAMPLES >= config.reset_after_s * RATE_HZ
        if due and self._quiet >= config.reset_quiet_windows:
            self.reset()
