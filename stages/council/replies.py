"""The seat's own replies, token by token, so that the next prompt reads them as they were written.

Text that is tokenised again often gives other tokens than those the model chose, and the cache is lost from there on.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from itertools import accumulate

_KEPT = 64


class Replies:
    """The latest replies, by their text. Pure bookkeeping."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[int, ...], list[bytes]] = OrderedDict()

    def remember(self, tokens: Sequence[int], pieces: Sequence[bytes]) -> None:
        """Keep a reply: its token ids, and the bytes that each of them stands for."""
        if tokens:
            self._known[tuple(tokens)] = list(accumulate(pieces))
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)

    def recall(self, text: str) -> tuple[list[int], str]:
        """Tokens of a reply that begins with ``text``, and the rest of ``text`` that they do not cover.

        The rest is empty for a whole reply; for one that was cut off in the middle of a token, it is that token's
        part. An unknown text gives no tokens and itself.
        """
        wanted = text.encode()
        for tokens, ends in reversed(self._known.items()):
            said = ends[-1]
            lead = len(said) - len(said.lstrip())
            full = said[:lead] + wanted
            if not wanted or not (said.rstrip() == full.rstrip() or said.startswith(full)):
                continue
            covered = [end for end in ends if len(end) <= len(full)]
            if len(full) >= len(said.rstrip()):
                return list(tokens), ""
            rest = full[len(covered[-1]) if covered else 0 :]
            return list(tokens[: len(covered)]), rest.decode(errors="ignore")
        return [], text
