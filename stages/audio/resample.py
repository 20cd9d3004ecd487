"""Change of sample rate (soxr, high quality), in one go or block by block."""

from __future__ import annotations

import numpy as np
import soxr

from stages.contract import Audio


class Resampler:
    """Resamples one stream block by block; the sum of the blocks is what :func:`resample` gives in one go.

    At equal rates the blocks pass unchanged.
    """

    def __init__(self, from_hz: int, to_hz: int) -> None:
        self.from_hz, self.to_hz = from_hz, to_hz
        self._stream = None if from_hz == to_hz else soxr.ResampleStream(from_hz, to_hz, 1, dtype="float32")

    def push(self, block: Audio, *, last: bool = False) -> Audio:
        """Take ``block`` (mono), give what is ready at ``to_hz``. ``last`` flushes the filter."""
        if self._stream is None:
            return block
        out: Audio = self._stream.resample_chunk(np.ascontiguousarray(block, np.float32), last=last)
        return out


def resample(audio: Audio, from_hz: int, to_hz: int) -> Audio:
    """``audio`` (mono) at ``to_hz``; its length is ``len(audio) * to_hz / from_hz``, rounded."""
    if from_hz == to_hz:
        return audio
    out: Audio = soxr.resample(np.ascontiguousarray(audio, np.float32), from_hz, to_hz, quality="HQ")
    return out
