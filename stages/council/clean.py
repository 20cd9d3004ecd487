"""Keeping a model's thinking off the line: what stands between <think> and </think> is never spoken. Pure."""

from __future__ import annotations

_OPEN, _CLOSE = "<think>", "</think>"


class ThinkingFilter:
    """Drops thinking blocks from streamed text, also where a mark arrives in parts. One object a reply."""

    def __init__(self) -> None:
        self._held = ""
        self._thinking = False

    def feed(self, text: str) -> str:
        """Add streamed ``text``; what of it is for the ear. The beginning of a mark is held back until it is clear."""
        self._held += text
        spoken: list[str] = []
        while (at := self._held.find(self._mark)) >= 0:
            spoken.append("" if self._thinking else self._held[:at])
            self._held = self._held[at + len(self._mark) :]
            self._thinking = not self._thinking
        keep = _partial(self._held, self._mark)
        ready, self._held = self._held[: len(self._held) - keep], self._held[len(self._held) - keep :]
        return "".join(spoken) + ("" if self._thinking else ready)

    def finish(self) -> str:
        """The rest, at the end of the reply; a block that was never closed stays unspoken."""
        rest, self._held = self._held, ""
        return "" if self._thinking else rest

    @property
    def _mark(self) -> str:
        return _CLOSE if self._thinking else _OPEN


def _partial(text: str, mark: str) -> int:
    """Length of the longest end of ``text`` that begins ``mark``."""
    return next(
        (size for size in range(min(len(mark) - 1, len(text)), 0, -1) if mark.startswith(text[-size:])), 0
    )
