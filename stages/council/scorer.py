"""How likely a given reply is: read in one go, where writing it would take a step for every token."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stages.council.sample import log_probability


class Scorer:
    """The log-probabilities of ``reply`` behind a prompt of ``prompt_tokens`` tokens, its end mark included."""

    def __init__(self, prompt_tokens: int, reply: Sequence[int], end: int) -> None:
        """Raises ValueError without a prompt: nothing would tell the first token."""
        if prompt_tokens < 1:
            raise ValueError("there is no prompt before the reply")
        self.start = prompt_tokens - 1
        """The first token that is read for its logits, by its place: the last of the prompt."""
        self._wanted = (*reply, end)
        self.logprobs: list[float] = []

    @property
    def over(self) -> bool:
        """Whether all is read."""
        return len(self.logprobs) == len(self._wanted)

    def rows(self, start: int, count: int) -> int:
        """Of how many of the last of ``count`` tokens from place ``start`` on the logits are needed."""
        return max(0, min(count, start + count - self.start))

    def read(self, rows: Sequence[NDArray[np.float32]]) -> None:
        """Note the next tokens' log-probabilities."""
        for row in rows:
            self.logprobs.append(log_probability(row, self._wanted[len(self.logprobs)]))
