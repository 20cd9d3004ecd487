"""A piper voice that speaks one piece of text at a time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from stages.contract import Audio
from stages.errors import EnvironmentFault, InputError
from stages.onnx import open_session
from stages.tts.config import TtsConfig
from stages.tts.shape import level, trim
from stages.tts.text import speakable


class PiperVoice:
    """One voice. No state between pieces; its owner serialises the calls."""

    def __init__(self, path: Path | str, config: TtsConfig | None = None) -> None:
        """Load an .onnx voice with its .onnx.json beside it.

        Raises EnvironmentFault when a file or piper-tts is missing, or a file cannot be read.
        """
        self._config = config or TtsConfig()
        self._voice, self._speech = _load(Path(path), self._config)

    @property
    def rate_hz(self) -> int:
        """Sample rate of what ``speak`` returns."""
        return int(self._voice.config.sample_rate)

    def speak(self, text: str) -> Audio:
        """Audio of ``text`` (float32 mono): at most 5 ms of silence in front, ``joint_ms`` behind, even loudness.

        Empty when nothing in ``text`` can be said. Raises InputError when it is longer than ``max_chars``.
        """
        if len(text) > self._config.max_chars:
            raise InputError(
                "tts.too_long",
                f"A piece of {len(text)} characters is more than {self._config.max_chars}.",
                "Cut it with PieceSplitter first.",
            )
        said = speakable(text)
        if not said:
            return np.zeros(0, dtype=np.float32)
        chunks = [chunk.audio_float_array for chunk in self._voice.synthesize(said, self._speech)]
        if not chunks:
            return np.zeros(0, dtype=np.float32)
        whole = np.concatenate(chunks).astype(np.float32)
        return trim(level(whole, self.rate_hz, self._config.level_dbfs), self.rate_hz, self._config.joint_ms)


def _load(path: Path, config: TtsConfig) -> tuple[Any, Any]:
    """piper's own loader opens the model with a thread for each core, so its parts are put together here."""
    description = path.with_name(path.name + ".json")
    if not description.is_file():
        raise EnvironmentFault(
            "model.missing", f"No voice description at {description}.", "Pull the voice again."
        )
    try:
        from piper import PiperVoice as Piper
        from piper.config import PiperConfig, SynthesisConfig
    except ImportError as fault:
        raise EnvironmentFault(
            "library.missing", "piper-tts is not installed.", 'Install it: pip install "piper-tts>=1.8,<2".'
        ) from fault
    session = open_session(path, config.threads)
    try:
        voice_config = PiperConfig.from_dict(json.loads(description.read_text(encoding="utf-8")))
    except (ValueError, KeyError, TypeError) as fault:
        raise EnvironmentFault(
            "model.unreadable", f"{description} is no description of a piper voice.", "Pull the voice again."
        ) from fault
    speech = SynthesisConfig(length_scale=voice_config.length_scale / config.speed, normalize_audio=False)
    return Piper(session=session, config=voice_config), speech
