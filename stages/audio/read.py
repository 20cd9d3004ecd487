"""Reads one channel of an audio file as float32 at the rate that the stages listen at."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from stages.audio.resample import Resampler
from stages.audio.source import Block, Source, open_source
from stages.contract import RATE_HZ, Audio
from stages.errors import InputError

LOWEST_HZ, HIGHEST_HZ = 8_000, 192_000

_LOUDEST = 8.0
"""Float files may exceed full scale (1.0) a little; beyond this they hold integers, or noise."""


@dataclass(frozen=True, slots=True)
class Recording:
    """One channel of a file.

    Attributes:
        samples: float32, shape ``(n,)``, in [-1, 1].
        rate_hz: rate of ``samples``.
        source_rate_hz: rate of the file.
        channels: how many the file has.
        seconds: length of ``samples``.
    """

    samples: Audio
    rate_hz: int
    source_rate_hz: int
    channels: int

    @property
    def seconds(self) -> float:
        """Length in seconds."""
        return len(self.samples) / self.rate_hz


def read_audio(
    path: str | Path,
    *,
    rate_hz: int = RATE_HZ,
    channel: int | None = None,
    start_s: float = 0.0,
    end_s: float | None = None,
) -> Recording:
    """Read ``path`` from ``start_s`` to ``end_s`` (at most its end), resampled to ``rate_hz``.

    ``channel`` counts from 0; None means the mean of all channels. The file is read in blocks: an hour costs
    one copy of its samples at ``rate_hz``. Raises InputError, one sentence that names the file, if it is
    missing, empty, not audio, cut off, or holds no samples or numbers that are none; or if ``channel`` or
    ``start_s`` lie outside.
    """
    path = Path(path)
    if not (math.isfinite(start_s) and start_s >= 0) or (end_s is not None and not end_s > start_s):
        raise InputError(
            "audio.span", f"{path}: cannot read from {start_s} s to {end_s} s.", "Start before the end."
        )
    with open_source(path, start_s) as source:
        _check(path, source, channel)
        limit = None if end_s is None else round((end_s - start_s) * source.rate_hz)
        samples = _collect(_mono(path, source, channel, limit), Resampler(source.rate_hz, rate_hz))
        if not len(samples):
            raise _nothing(path, start_s)
        return Recording(samples, rate_hz, source.rate_hz, source.channels)


def channels_of(path: str | Path) -> int:
    """How many channels ``path`` has. Raises InputError as :func:`read_audio` does."""
    with open_source(Path(path)) as source:
        return source.channels


def _check(path: Path, source: Source, channel: int | None) -> None:
    if not LOWEST_HZ <= source.rate_hz <= HIGHEST_HZ:
        raise InputError(
            "audio.rate",
            f"{path}: its header says {source.rate_hz} Hz; {LOWEST_HZ} to {HIGHEST_HZ} Hz can be read.",
            "Export it at 16000 Hz.",
        )
    if channel is not None and not 0 <= channel < source.channels:
        have = "only channel 0 (mono)" if source.channels == 1 else f"channels 0 to {source.channels - 1}"
        raise InputError("audio.channel", f"{path} has no channel {channel}.", f"It has {have}.")


def _mono(path: Path, source: Source, channel: int | None, limit: int | None) -> Iterator[Audio]:
    for block in source.blocks:
        cut = block if limit is None else block[:limit]
        _check_numbers(path, cut)
        if len(cut):
            mono: Audio = cut.mean(axis=1, dtype=np.float32) if channel is None else cut[:, channel]
            yield mono
        if limit is not None:
            limit -= len(cut)
            if limit <= 0:
                return


def _check_numbers(path: Path, block: Block) -> None:
    peak = float(np.abs(block).max(initial=0.0))
    if not math.isfinite(peak):
        raise InputError(
            "audio.numbers",
            f"{path} holds samples that are not numbers (NaN or infinite).",
            "Export it again.",
        )
    if peak > _LOUDEST:
        raise InputError(
            "audio.range",
            f"{path} holds float samples up to {peak:.0f}, where 1.0 is full scale.",
            "Export it as 16-bit, or scale it to [-1, 1].",
        )


def _collect(blocks: Iterator[Audio], resampler: Resampler) -> Audio:
    parts: deque[Audio] = deque(_clipped(resampler.push(block)) for block in blocks)
    parts.append(_clipped(resampler.push(np.zeros(0, np.float32), last=True)))
    out = np.empty(sum(map(len, parts)), np.float32)
    at = 0
    while parts:  # each part is freed as it is copied: never two whole copies
        part = parts.popleft()
        out[at : at + len(part)] = part
        at += len(part)
    return out


def _clipped(block: Audio) -> Audio:
    return np.clip(block, -1.0, 1.0)  # resampling and float files overshoot full scale


def _nothing(path: Path, start_s: float) -> InputError:
    if start_s > 0:
        return InputError("audio.span", f"{path} holds nothing after {start_s} s.", "Start earlier.")
    return InputError("audio.empty", f"{path} holds no audio (zero samples).", "Record or copy it again.")
