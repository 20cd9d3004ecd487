"""Cuts the caller out of a recording that holds both voices on one channel."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agent.calls.model import Segment
from stages.contract import RATE_HZ, Audio

_MARGIN_S = 0.15
"""Kept around each label, whose times are good to about 200 ms; at most half the gap to the agent's words."""

_FADE_S = 0.005


def gated(mixed: Audio, segments: Sequence[Segment]) -> Audio:
    """``mixed`` (16 kHz) where the caller speaks, digital silence elsewhere."""
    gain = np.zeros(len(mixed), np.float32)
    agent = [one for one in segments if one.role == "agent"]
    for caller in (one for one in segments if one.role == "caller"):
        before = max((one.end_s for one in agent if one.start_s < caller.start_s), default=0.0)
        after = min((one.start_s for one in agent if one.end_s > caller.end_s), default=float("inf"))
        start = caller.start_s - _margin(caller.start_s - before)
        end = caller.end_s + _margin(after - caller.end_s)
        _open(gain, round(start * RATE_HZ), round(end * RATE_HZ))
    return mixed * gain


def _margin(gap_s: float) -> float:
    return min(_MARGIN_S, max(0.0, gap_s / 2))


def _open(gain: Audio, start: int, end: int) -> None:
    start, end = max(0, start), min(end, len(gain))
    window = np.ones(max(0, end - start), np.float32)
    fade = min(round(_FADE_S * RATE_HZ), len(window) // 2)
    ramp = np.linspace(0, 1, fade, endpoint=False, dtype=np.float32)
    window[:fade] = ramp
    window[len(window) - fade :] = ramp[::-1]
    gain[start:end] = np.maximum(gain[start:end], window)
