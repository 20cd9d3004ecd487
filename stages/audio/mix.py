"""Noise, and mixing it with speech at a stated ratio."""

from __future__ import annotations

import numpy as np

from stages.audio.level import active_dbfs, dbfs
from stages.contract import Audio
from stages.errors import InputError


def white_noise(samples: int, seed: int) -> Audio:
    """White Gaussian noise, the same for the same ``seed``."""
    return (0.1 * np.random.default_rng(seed).standard_normal(samples)).astype(np.float32)


def hum(samples: int, rate_hz: int, mains_hz: float = 50.0) -> Audio:
    """Mains hum: ``mains_hz`` and its second and third harmonic, falling by 6 dB each."""
    at = np.arange(samples) / rate_hz
    tones = [np.sin(2 * np.pi * mains_hz * n * at) / 2 ** (n - 1) for n in (1, 2, 3)]
    noise: Audio = (0.1 * np.sum(tones, axis=0)).astype(np.float32)
    return noise


def at_level(audio: Audio, rate_hz: int, level_dbfs: float) -> Audio:
    """``audio`` with its speech (:func:`active_dbfs`) scaled to ``level_dbfs``; silence stays silence."""
    now = active_dbfs(audio, rate_hz)
    return audio if now <= -200.0 else audio * np.float32(10 ** ((level_dbfs - now) / 20))


def mix_at_snr(speech: Audio, noise: Audio, snr_db: float, rate_hz: int) -> Audio:
    """``speech`` with ``noise`` under it, repeated or cut to its length, ``snr_db`` below it.

    The ratio is that of the speech without its pauses (:func:`active_dbfs`) to the noise as a whole; pauses
    would make the same noise count as louder in a call with more of them. Raises InputError for silent noise
    or speech.
    """
    under = np.resize(noise, len(speech)) if len(noise) else noise
    speech_db, noise_db = active_dbfs(speech, rate_hz), dbfs(under)
    if min(speech_db, noise_db) <= -200.0:
        raise InputError(
            "audio.snr", "Silence has no signal-to-noise ratio.", "Give speech and a noise that sound."
        )
    return speech + under * np.float32(10 ** ((speech_db - snr_db - noise_db) / 20))
