"""Ending a reply at a text, also where it comes in parts. Pure."""

from __future__ import annotations

from collections.abc import Sequence


class StopFilter:
    """Passes streamed text on up to the first stop text; what may be the beginning of one is held. One a reply."""

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = [stop for stop in stops if stop]
        self._held = ""
        self.stopped = False

    def feed(self, text: str) -> str:
        """Add ``text``; what may be passed on now. Empty once ``stopped``."""
        if self.stopped or not self._stops:
            return "" if self.stopped else text
        self._held += text
        cuts = [at for stop in self._stops if (at := self._held.find(stop)) >= 0]
        if cuts:
            self.stopped = True
            ready, self._held = self._held[: min(cuts)], ""
            return ready
        keep = max(_begun(self._held, stop) for stop in self._stops)
        ready, self._held = self._held[: len(self._held) - keep], self._held[len(self._held) - keep :]
        return ready

    def finish(self) -> str:
        """What is still held, at the end of the reply."""
        rest, self._held = self._held, ""
        return rest


def _begun(text: str, stop: str) -> int:
    sizes = range(min(len(stop) - 1, len(text)), 0, -1)
    return next((size for size in sizes if stop.startswith(text[-size:])), 0)
