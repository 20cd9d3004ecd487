"""Writes WAV files: whole or not at all."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from stages.contract import Audio
from stages.errors import EnvironmentFault, InputError


def to_int16(audio: Audio) -> NDArray[np.int16]:
    """float32 in [-1, 1] as int16; what exceeds full scale is clipped."""
    return np.rint(np.clip(audio, -1.0, 1.0) * 32_767).astype(np.int16)


def write_wav(
    path: str | Path, audio: Audio, rate_hz: int, *, subtype: Literal["PCM_16", "ULAW"] = "PCM_16"
) -> None:
    """Write ``audio``, shape ``(n,)`` or ``(n, channels)``, as 16-bit or mu-law WAV.

    The file appears under its name only when it is complete. Raises InputError for numbers that are none,
    EnvironmentFault if the disk refuses.
    """
    import soundfile as sf

    path = Path(path)
    if not np.isfinite(audio).all():
        raise InputError("audio.numbers", f"{path} cannot be written: samples are NaN or infinite.")
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        sf.write(part, to_int16(audio), rate_hz, subtype=subtype, format="WAV")
        part.replace(path)
    except (OSError, sf.LibsndfileError) as error:
        raise EnvironmentFault(
            "audio.write", f"{path} cannot be written: {error}.", "Check the folder and the free disk space."
        ) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
