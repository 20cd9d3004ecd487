"""One sequence of the engine: a prompt, and the reply that grows from it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from stages.council.scorer import Scorer
from stages.council.writer import Ending, Writer


@dataclass(eq=False, slots=True)
class Branch:
    """A live sequence. Changed by the engine only.

    Attributes:
        sequence: llama.cpp's id of it.
        rank: 0 goes before 1 before 2: a step computes only the lowest rank that has work.
        todo: tokens that are still to be read.
        writer: makes the reply; None while only a prompt is read.
        scorer: in place of a writer, where the reply is given and only its probability is asked.
        logits: of the last token read, where they are still wanted.
        leader: the branch that reads the beginning of the same prompt, which is waited for ...
        shared: ... and how many tokens of it are taken over.
    """

    sequence: int
    rank: int
    todo: list[int] = field(default_factory=list)
    writer: Writer | None = None
    scorer: Scorer | None = None
    logits: NDArray[np.float32] | None = None
    leader: Branch | None = None
    shared: int = 0
    prompt_tokens: int = 0
    reused_tokens: int = 0
    gone: bool = False

    @property
    def over(self) -> Ending | None:
        """Why the reply is over; None while it goes on or was never asked for."""
        if self.scorer is not None and self.scorer.over:
            return "model"
        if self.writer is None:
            return "left" if self.gone else None
        return self.writer.over

    @property
    def text(self) -> str:
        """The reply so far."""
        return "" if self.writer is None else self.writer.text

    @property
    def works(self) -> bool:
        """Whether a step would do something for it."""
        if self.gone or self.leader is not None:
            return False
        return bool(self.todo) or (self.logits is not None and self.writes)

    @property
    def writes(self) -> bool:
        """Whether it makes a reply that is not over."""
        return self.writer is not None and self.writer.over is None

    @property
    def reserved(self) -> int:
        """Cells that it may still take."""
        if self.gone:
            return 0
        if self.writer is None or self.writer.over is not None:
            return len(self.todo)
        return len(self.todo) + self.writer.sampling.max_tokens - len(self.writer.tokens)
