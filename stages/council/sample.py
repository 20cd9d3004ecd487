"""Picking the next token. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Narrow = Callable[[Sequence[int]], Sequence[int]]
"""Given the tokens of a reply so far, those that may come next: at least one."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How one reply is drawn.

    ``min_p`` leaves out tokens less likely than this share of the likeliest one (Nguyen et al., "Turning up the
    heat: min-p sampling", 2024). ``stop`` ends the reply before any of these texts. ``narrow`` allows only some tokens.
    """

    max_tokens: int
    temperature: float = 0.0
    min_p: float = 0.0
    seed: int = 0
    stop: tuple[str, ...] = ()
    narrow: Narrow | None = None


def pick(
    logits: NDArray[np.float32], temperature: float, rng: np.random.Generator, min_p: float = 0.0
) -> int:
    """The likeliest token at temperature 0, else one drawn by the softmax of ``logits / temperature``."""
    if temperature <= 0.0:
        return int(logits.argmax())
    scaled = (logits - logits.max()).astype(np.float64) / temperature
    weights = np.exp(scaled)
    weights[weights < min_p] = 0.0
    return int(rng.choice(weights.size, p=weights / weights.sum()))


def pick_of(
    allowed: Sequence[int],
    logits: NDArray[np.float32],
    temperature: float,
    rng: np.random.Generator,
    min_p: float = 0.0,
) -> int:
    """As :func:`pick`, among the tokens ``allowed``."""
    ids = np.asarray(allowed)
    return int(ids[pick(logits[ids], temperature, rng, min_p)])


def log_probability(logits: NDArray[np.float32], token: int) -> float:
    """Log-probability of ``token`` under the softmax of ``logits``, at temperature 1."""
    top = logits.max()
    return float(logits[token] - top - np.log(np.exp(logits - top).sum()))
