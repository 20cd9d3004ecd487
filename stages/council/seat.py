"""The fast seat: one sequence of an engine, always open, with the conversation kept in its cache."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from stages.contract import Abort, Message, Piece, Prefill, never
from stages.council.config import SeatConfig
from stages.council.engine import Engine
from stages.council.sample import Sampling
from stages.errors import InputError

RANK = 0
"""The fast lane's: whoever else uses the engine gives way to it inside a step."""


class LlamaSeat:
    """A thin view on an :class:`Engine`, which others may use too: they wait while this seat reads or writes.

    One thread at a time may call it.
    """

    def __init__(self, path: Path | str, config: SeatConfig | None = None) -> None:
        """Load a GGUF file. Raises EnvironmentFault when it is missing, unreadable or without a chat template."""
        self.engine = Engine(path, config)
        self._lane = self.engine.open(())
        self._writing: object | None = None  # the reply that the lane is at
        self._ahead = self._wasted = 0
        self._last = Prefill(0, 0)
        self._closed = False

    @property
    def last_prefill(self) -> Prefill:
        """What the last prompt cost."""
        return self._last

    def prefill(self, messages: Sequence[Message], *, abort: Abort = never) -> Prefill:
        """Read ``messages``, up to where the reply begins, keeping what the cache has of them.

        The oldest turns are left out when the context is full. Stops within a few milliseconds of an abort (raises
        Aborted), and what was read until then stays. Raises InputError for messages that can never fit.
        """
        return self._read(self._prompt(messages), abort, ahead=True)

    def read_along(self, messages: Sequence[Message], *, abort: Abort = never) -> Prefill:
        """Read ``messages`` without closing the last one, whose speaker goes on. Otherwise as ``prefill``."""
        return self._read(self._open_prompt(messages)[0], abort, ahead=True)

    def end_probability(self, messages: Sequence[Message], *, abort: Abort = never) -> float:
        """Probability in [0, 1] that the last message ends where it does, by the model. Raises as ``prefill``."""
        prompt, closing = self._open_prompt(messages)
        self._read(prompt, abort, ahead=True)
        assert self._lane.logits is not None
        logits = self._lane.logits.astype(np.float64)
        return float(np.exp(logits[closing] - logits.max()) / np.exp(logits - logits.max()).sum())

    def reply(
        self, messages: Sequence[Message], *, max_tokens: int, temperature: float = 0.0, abort: Abort = never
    ) -> Iterator[Piece]:
        """Read what is new of ``messages``, then generate, piece by piece, each whole characters.

        Ends at the model's own stop token, at ``max_tokens`` or when the context is full. Raises as ``prefill``.
        """
        prompt, engine, lane = self._prompt(messages), self.engine, self._lane
        self._writing = mine = object()
        engine.gate.claim(self, RANK)
        try:
            self._read(prompt, abort, ahead=False)
            with engine.gate.hold(RANK):
                room = min(max_tokens, engine.config.n_ctx - len(prompt))
                engine.start(lane, Sampling(room, temperature, seed=engine.config.seed))
            while lane.writes:
                with engine.gate.hold(RANK):
                    events = engine.step(abort, rank=RANK)
                yield from (piece for branch, piece in events if branch is lane)
        finally:
            # A reply that was left half way may be cleaned up late: it must not stop the one that came after it.
            if self._writing is mine:
                with engine.gate.hold(RANK):
                    engine.stop(lane)
                engine.gate.release(self)

    def close(self) -> None:
        """Give the memory back. The seat cannot be used afterwards."""
        if not self._closed:
            self._closed = True
            self.engine.close()

    def _read(self, prompt: list[int], abort: Abort, *, ahead: bool) -> Prefill:
        engine, lane = self.engine, self._lane
        with engine.gate.hold(RANK):
            thrown = engine.turn_to(lane, prompt)
        self._wasted += min(thrown, self._ahead)
        self._ahead -= min(thrown, self._ahead)
        self._last = Prefill(len(prompt), lane.reused_tokens, self._wasted)
        left = len(lane.todo)
        try:
            while lane.todo:
                with engine.gate.hold(RANK):
                    engine.step(abort, rank=RANK)
        finally:
            self._ahead += left - len(lane.todo)
            if not ahead:
                self._ahead = self._wasted = 0
        return self._last

    def _prompt(self, messages: Sequence[Message]) -> list[int]:
        self._check_open()
        return self.engine.prompt(messages)

    def _open_prompt(self, messages: Sequence[Message]) -> tuple[list[int], int]:
        self._check_open()
        return self.engine.open_prompt(messages)

    def _check_open(self) -> None:
        if self._closed:
            raise InputError("seat.closed", "The seat was closed.", "Make a new one.")
