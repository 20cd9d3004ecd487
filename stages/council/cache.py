"""Which sequence holds which tokens in llama.cpp's cache, and how many of its cells they take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from stages.council.llama_runtime import llama
from stages.errors import InputError


class Cache:
    """Sequences over shared cells: a copied prefix takes no new ones, and goes when its last holder lets go."""

    def __init__(self, memory: Any, sequences: int, cells: int) -> None:
        """``memory`` is llama.cpp's pointer; ids of sequences run from 0 below ``sequences``."""
        self._lib, self._memory = llama(), memory
        self.cells = cells
        self._free = list(range(sequences - 1, -1, -1))
        self._tokens: dict[int, list[int]] = {}
        self._cells_of: dict[int, list[int]] = {}
        self._holders: Counter[int] = Counter()
        self._next_cell = 0

    @property
    def used(self) -> int:
        """Cells that hold a token of any sequence."""
        return len(self._holders)

    @property
    def sequences(self) -> tuple[int, ...]:
        """Ids in use."""
        return tuple(self._tokens)

    def tokens(self, sequence: int) -> Sequence[int]:
        """What ``sequence`` holds; not to be changed."""
        return self._tokens[sequence]

    def take(self) -> int:
        """The id of a new, empty sequence. Raises InputError when all are in use."""
        if not self._free:
            raise InputError("engine.sequences", "All sequences of the model are in use.", "Raise sequences.")
        sequence = self._free.pop()
        self._tokens[sequence], self._cells_of[sequence] = [], []
        return sequence

    def give(self, sequence: int) -> None:
        """End ``sequence``: its cells are free unless others hold them too."""
        self._clear(sequence)
        del self._tokens[sequence], self._cells_of[sequence]
        self._free.append(sequence)

    def added(self, sequence: int, tokens: Sequence[int]) -> None:
        """Note that the decoder has read ``tokens`` behind what ``sequence`` held."""
        new = range(self._next_cell, self._next_cell + len(tokens))
        self._next_cell += len(tokens)
        self._tokens[sequence] += tokens
        self._cells_of[sequence] += new
        self._holders.update(new)

    def cut(self, sequence: int, keep: int) -> int:
        """Roll ``sequence`` back to its first ``keep`` tokens; how many it holds then.

        A recurrent model cannot go back: its sequence is then empty.
        """
        if keep < len(self._tokens[sequence]):
            if self._lib.llama_memory_seq_rm(self._memory, sequence, keep, -1):
                self._release(sequence, keep)
            else:
                self._clear(sequence)
        return len(self._tokens[sequence])

    def forget_unknown(self, sequence: int) -> None:
        """Remove what a batch that failed half way may have left behind the known tokens."""
        self._lib.llama_memory_seq_rm(self._memory, sequence, len(self._tokens[sequence]), -1)

    def share(self, source: int, target: int, length: int) -> int:
        """Give ``target``, which is empty, the first ``length`` tokens of ``source``; how many it has then."""
        if length == 0:
            return 0
        self._lib.llama_memory_seq_cp(self._memory, source, target, -1, -1)
        self._tokens[target] = list(self._tokens[source])
        self._cells_of[target] = list(self._cells_of[source])
        self._holders.update(self._cells_of[target])
        return self.cut(target, length)

    def _clear(self, sequence: int) -> None:
        self._lib.llama_memory_seq_rm(self._memory, sequence, -1, -1)
        self._release(sequence, 0)

    def _release(self, sequence: int, keep: int) -> None:
        for cell in self._cells_of[sequence][keep:]:
            self._holders[cell] -= 1
            if not self._holders[cell]:
                del self._holders[cell]
        del self._tokens[sequence][keep:], self._cells_of[sequence][keep:]
