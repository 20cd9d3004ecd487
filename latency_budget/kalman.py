"""How much slower the machine is just now than its profile says.

The adaptive Kalman filter of ALERT (Wan, Santriaji, Rogers, Hoffmann, Maire and Lu, "ALERT: Accurate Learning for
Energy and Timeliness", USENIX ATC 2020): one slow-down factor for all work, with a variance that grows as soon as the
factor moves. Unlike there, the noise of a measurement is not fixed but comes with it (the profile knows its spread),
and only that part of a move counts as process noise which measurement noise alone would not explain: else the filter
stays nervous for dozens of turns after a load step.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

FORGETTING = 0.3
"""How much of the process noise is kept from turn to turn (ALERT's alpha)."""
CALM = 0.0004
"""Least process noise: the factor may drift by 2 % from turn to turn without any news."""
LEAST, MOST = 0.1, 20.0
"""A measurement beyond these is no slow-down but a fault (a hung stage, a clock that stepped)."""


@dataclass(frozen=True, slots=True)
class SlowDown:
    """The factor's mean and variance, and what the filter carries from turn to turn."""

    mean: float = 1.0
    variance: float = 0.01
    gain: float = 0.5
    process: float = CALM
    excess: float = 0.0  # the last move, squared, beyond what noise explains

    def measured(self, ratio: float, noise: float) -> SlowDown:
        """After a turn that took ``ratio`` times what the profile said; ``noise`` is that ratio's variance.

        Raises ValueError when ``ratio`` is no number or ``noise`` is not above 0.
        """
        if not (math.isfinite(ratio) and noise > 0.0):
            raise ValueError(f"{ratio} with variance {noise} is no measurement")
        surprise = min(MOST, max(LEAST, ratio)) - self.mean
        process = max(CALM, FORGETTING * self.process + (1.0 - FORGETTING) * self.excess)
        variance = (1.0 - self.gain) * self.variance + process
        gain = variance / (variance + noise)
        moved = gain * surprise
        return SlowDown(self.mean + moved, variance, gain, process, max(0.0, moved**2 - gain * variance))
