"""Both voices of a call on one time line, as the recording of a run holds them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from stages.audio.resample import resample
from stages.contract import RATE_HZ, Audio


def both_voices(caller: Audio, blocks: Iterable[tuple[float, Audio]], rate_hz: int) -> Audio:
    """Caller left, agent right, shape ``(n, 2)``, at the agent's rate.

    ``caller`` has 16 kHz; ``blocks`` are what the agent played, each with the time of its first sample in ms from the
    caller's first one.
    """
    left = resample(caller, RATE_HZ, rate_hz)
    starts = [(round(at_ms * rate_hz / 1000.0), block) for at_ms, block in blocks]
    length = max([len(left), *(start + len(block) for start, block in starts)])
    heard = np.zeros((length, 2), dtype=np.float32)
    heard[: len(left), 0] = left
    for start, block in starts:
        if start >= 0:
            heard[start : start + len(block), 1] = block
    return heard
