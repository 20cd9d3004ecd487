"""One llama.cpp context: reads tokens of several sequences in one go, and stops in the middle when told to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stages.contract import Abort, never
from stages.council.config import SeatConfig
from stages.council.llama_runtime import llama
from stages.council.weights import Weights
from stages.errors import Aborted, EnvironmentFault

_ABORTED = 2
"""What llama_decode answers when its abort callback said stop."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Tokens to read into one sequence from position ``start`` on; of the last ``wanted`` the logits are needed."""

    sequence: int
    start: int
    tokens: Sequence[int]
    wanted: int


class Decoder:
    """A context with cells for ``config.cells`` tokens, shared by ``config.sequences`` sequences."""

    def __init__(self, weights: Weights, config: SeatConfig) -> None:
        """Raises EnvironmentFault when there is no memory for it."""
        self._lib = llama()
        self._size = weights.vocab.size
        self._context = _context(self._lib, weights, config)
        self.memory = self._lib.llama_get_memory(self._context)
        self._batch = self._lib.llama_batch_init(config.batch_tokens, 0, 1)
        self._sequence_of = [-1] * config.batch_tokens
        self._abort: Abort = never
        self._abort_fault: BaseException | None = None
        self._callback = self._lib.ggml_abort_callback(self._is_unwanted)

    def read(self, stretches: Sequence[Stretch], abort: Abort) -> dict[int, list[NDArray[np.float32]]]:
        """Read all ``stretches`` in one batch; the logits of those that want them, by sequence.

        The logits are a view that the next call overwrites. Raises Aborted within a few milliseconds of the abort,
        EnvironmentFault when llama.cpp fails; what the cache holds of this batch is then for the caller to remove.
        """
        if abort():
            raise Aborted
        rows = self._fill(stretches)
        # A step of single tokens takes 15 to 70 ms, so asking before it is enough; inside a prompt the callback asks
        # before each of some 1,000 operations (0.5B: 7 ms to stop, no measurable cost).
        self._abort = abort
        self._watch(any(len(stretch.tokens) > 1 for stretch in stretches))
        code = self._lib.llama_decode(self._context, self._batch)
        if code != 0:
            self._explain(code)
        return {sequence: [self._logits(row) for row in wanted] for sequence, wanted in rows.items()}

    def close(self) -> None:
        """Give the memory back."""
        if self._context is not None:
            self._lib.llama_batch_free(self._batch)
            self._lib.llama_free(self._context)
            self._context = None

    def _fill(self, stretches: Sequence[Stretch]) -> dict[int, range]:
        batch, rows, at = self._batch, dict[int, range](), 0
        for stretch in stretches:
            silent = len(stretch.tokens) - stretch.wanted
            for offset, token in enumerate(stretch.tokens):
                batch.token[at] = token
                batch.pos[at] = stretch.start + offset
                batch.logits[at] = offset >= silent
                if self._sequence_of[at] != stretch.sequence:
                    batch.n_seq_id[at] = 1
                    batch.seq_id[at][0] = self._sequence_of[at] = stretch.sequence
                at += 1
            rows[stretch.sequence] = range(at - stretch.wanted, at)
        batch.n_tokens = at
        return rows

    def _explain(self, code: int) -> None:
        fault, self._abort_fault = self._abort_fault, None
        if fault is not None:
            raise fault
        if code == _ABORTED:
            raise Aborted
        raise EnvironmentFault("seat.decode", f"llama.cpp could not read the next tokens (code {code}).", "")

    def _watch(self, on: bool) -> None:
        callback = self._callback if on else self._lib.ggml_abort_callback()
        self._lib.llama_set_abort_callback(self._context, callback, None)

    def _is_unwanted(self, _: Any) -> bool:
        """Called by llama.cpp, through which no exception can pass: it is kept, and raised when decode returns."""
        try:
            return self._abort()
        except BaseException as fault:  # noqa: BLE001
            self._abort_fault = fault
            return True

    def _logits(self, row: int) -> NDArray[np.float32]:
        return np.ctypeslib.as_array(self._lib.llama_get_logits_ith(self._context, row), (self._size,))


def _context(lib: Any, weights: Weights, config: SeatConfig) -> Any:
    params = lib.llama_context_default_params()
    params.n_ctx, params.n_seq_max, params.kv_unified = config.cells, config.sequences, True
    params.n_batch = params.n_ubatch = config.batch_tokens
    params.n_threads = params.n_threads_batch = config.threads
    context = lib.llama_init_from_model(weights.pointer, params)
    if not context:
        raise EnvironmentFault(
            "seat.memory",
            f"No memory for a context of {config.cells} tokens of {weights.path}.",
            "Lower n_ctx.",
        )
    return context
