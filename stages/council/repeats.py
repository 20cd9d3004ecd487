"""Ending a reply where it begins to repeat itself: small models fall into loops. Pure."""

from __future__ import annotations

import re

_WORDS = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SENTENCE = re.compile(r"[.!?](?:\s+|$)")
FEWEST_WORDS = 3
"""Shorter sentences may come again: "Yes. ... Yes."."""


class RepeatFilter:
    """Passes streamed text on until a sentence of this reply comes a second time. One object a reply.

    A sentence is held only while its words are those of an earlier one; nothing is held in one that is new.
    """

    def __init__(self) -> None:
        self._said: list[list[str]] = []
        self._held = ""  # of the sentence under way, not passed on yet
        self._open = ""  # the sentence under way
        self.stopped = False

    def feed(self, text: str) -> str:
        """Add ``text``; what may be passed on now. Empty once ``stopped``."""
        ready = ""
        while text and not self.stopped:
            whole = self._open + text
            end = _SENTENCE.search(whole, max(0, len(self._open) - 1))
            cut = len(text) if end is None else end.end() - len(self._open)
            ready += self._add(text[:cut], closed=end is not None and bool(end.group()[1:]))
            text = text[cut:]
        return ready

    def finish(self) -> str:
        """What is still held, at the end of the reply: nothing if it was a repetition."""
        words = _words(self._open)
        again = len(words) >= FEWEST_WORDS and words in self._said
        rest, self._held = "" if again else self._held, ""
        return rest

    def _add(self, text: str, *, closed: bool) -> str:
        self._open += text
        self._held += text
        words = _words(self._open)
        if closed:
            if len(words) >= FEWEST_WORDS and words in self._said:
                self.stopped = True
                self._held = ""
                return ""
            self._said.append(words)
            self._open = ""
        elif any(_begins(said, words) for said in self._said if len(said) >= FEWEST_WORDS):
            return ""
        ready, self._held = self._held, ""
        return ready


def _words(text: str) -> list[str]:
    return [word.casefold().replace("’", "'") for word in _WORDS.findall(text)]


def _begins(said: list[str], words: list[str]) -> bool:
    """Whether ``words``, the last one perhaps not whole, are how ``said`` begins."""
    if not words:
        return True
    head = len(words) - 1
    return len(words) <= len(said) and said[:head] == words[:head] and said[head].startswith(words[head])
