"""Picking the next token. Pure."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def pick(logits: NDArray[np.float32], temperature: float, rng: np.random.Generator) -> int:
    """The likeliest token at temperature 0, else one drawn by the softmax of ``logits / temperature``."""
    if temperature <= 0.0:
        return int(logits.argmax())
    scaled = (logits - logits.max()).astype(np.float64) / temperature
    weights = np.exp(scaled)
    return int(rng.choice(weights.size, p=weights / weights.sum()))
