"""How loud: levels over 10 ms windows, where sound is audible, where an utterance begins and ends.

0 dBFS is a root mean square of 1.0. All positions are sample indices into the array given.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stages.contract import Audio

AUDIBLE_DBFS = -45.0
DROP_DB = 30.0
"""An utterance lasts as long as its 10 ms windows lie within this of its loudest one."""

_FLOOR = 1e-10
"""-200 dBFS stands for silence, so that levels stay finite."""


def window_samples(rate_hz: int) -> int:
    """Samples of one 10 ms window."""
    return rate_hz // 100


def dbfs(audio: Audio) -> float:
    """Level of the whole of ``audio``; -200 for silence or nothing."""
    if not len(audio):
        return -200.0
    power = np.einsum("i,i->", audio, audio, dtype=np.float64) / len(audio)
    return float(20 * np.log10(max(_FLOOR, np.sqrt(power))))


def levels(audio: Audio, rate_hz: int) -> NDArray[np.float64]:
    """Level of each 10 ms window, counted from the first sample; the last one may be shorter."""
    size = window_samples(rate_hz)
    whole = len(audio) // size
    windows = audio[: whole * size].reshape(whole, size)
    power = (
        np.einsum("ij,ij->i", windows, windows, dtype=np.float64) / size
    )  # no copy of an hour in double precision
    if len(audio) % size:
        power = np.append(power, np.square(audio[whole * size :], dtype=np.float64).mean())
    level: NDArray[np.float64] = 20 * np.log10(np.maximum(_FLOOR, np.sqrt(power)))
    return level


def audible_span(audio: Audio, rate_hz: int, threshold_dbfs: float = AUDIBLE_DBFS) -> tuple[int, int] | None:
    """First sample of the first audible window and the end of the last; None if nothing is audible."""
    return _span(levels(audio, rate_hz) >= threshold_dbfs, len(audio), rate_hz)


def utterance_span(
    audio: Audio, rate_hz: int, drop_db: float = DROP_DB, floor_dbfs: float = -200.0
) -> tuple[int, int] | None:
    """Where the utterance in ``audio`` begins and ends: its windows within ``drop_db`` of the loudest one.

    Windows at or below ``floor_dbfs`` are never part of it. None if there are no others. A constant offset must have
    been removed (:func:`remove_dc`), or it counts as sound.
    """
    level = levels(audio, rate_hz)
    loudest = level.max(initial=-200.0)
    return _span((level >= loudest - drop_db) & (level > floor_dbfs), len(audio), rate_hz)


def last_within(audio: Audio, rate_hz: int, drop_db: float = DROP_DB) -> int | None:
    """End of the last 10 ms window within ``drop_db`` of the loudest: how ``speech_end`` is set."""
    span = utterance_span(audio, rate_hz, drop_db)
    return None if span is None else span[1]


def active_dbfs(audio: Audio, rate_hz: int, drop_db: float = DROP_DB) -> float:
    """Level of the speech without its pauses: of the windows within ``drop_db`` of the loudest one."""
    level = levels(audio, rate_hz)
    if not len(level) or level.max() <= -200.0:
        return -200.0
    active = level[level >= level.max() - drop_db]
    return float(10 * np.log10(np.mean(10 ** (active / 10))))


def remove_dc(audio: Audio) -> Audio:
    """``audio`` without its constant offset."""
    if not len(audio):
        return audio
    return audio - np.float32(audio.mean(dtype=np.float64))


def _span(loud: NDArray[np.bool_], samples: int, rate_hz: int) -> tuple[int, int] | None:
    hits = np.flatnonzero(loud)
    if not len(hits):
        return None
    size = window_samples(rate_hz)
    return int(hits[0]) * size, min((int(hits[-1]) + 1) * size, samples)
