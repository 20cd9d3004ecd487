"""Is a reply made for the ear? One or two short sentences, no lists, no marks, nothing to read. Pure."""

from __future__ import annotations

import re

MAX_SENTENCES = 2
MAX_WORDS = 40
"""Forty words take some 15 s to say; nobody listens to more at a time."""

_END = re.compile(r"[.!?]+(?=\s|$)")
_LIST = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s", re.MULTILINE)
_MARKS = re.compile(r"[*_#`|<>\[\]{}]|https?://|www\.")


def unfit(reply: str) -> tuple[str, ...]:
    """Why ``reply`` is not for the ear: some of "empty", "long", "list", "marks", "unfinished"; nothing if it is."""
    text = reply.strip()
    if not re.search(r"\w", text):
        return ("empty",)
    faults = []
    if len(_END.findall(text)) > MAX_SENTENCES or len(text.split()) > MAX_WORDS:
        faults.append("long")
    if _LIST.search(text) or "\n" in text:
        faults.append("list")
    if _MARKS.search(text):
        faults.append("marks")
    if not text.endswith((".", "!", "?", '"', "'", "”")):
        faults.append("unfinished")
    return tuple(faults)


def first_sentences(reply: str, count: int = MAX_SENTENCES) -> str:
    """The first ``count`` sentences of ``reply``, on one line: what is worth saying of a reply that runs on."""
    text = " ".join(reply.split())
    ends = [match.end() for match in _END.finditer(text)]
    return text[: ends[count - 1]] if len(ends) >= count else text
