"""Cutting streamed text into speakable pieces: a short first one, then longer ones. Pure."""

from __future__ import annotations

import re

from stages.tts.breaks import Break, break_after
from stages.tts.config import PieceConfig

_WORD = re.compile(r"(\S+)(\s+)")

# fmt: off
_OPENERS = frozenset({
    "sure", "sure thing", "of course", "certainly", "absolutely", "okay", "ok", "alright", "all right",
    "right", "let me see", "let me check", "let me look", "let me check that", "let me check that for you",
    "one moment", "one moment please", "just a moment", "well", "hmm", "um", "uh", "great", "good",
    "got it", "i see", "great question", "good question", "so", "now", "happy to help",
    "i'd be happy to help", "i'm happy to help", "i can help with that", "i can help you with that",
})
# fmt: on


def is_opener(text: str) -> bool:
    """True for a bare opener ("Sure.", "Okay, let me see"), which answers nothing and does not count as content."""
    clauses = [" ".join(re.findall(r"[a-z']+", clause)) for clause in re.split(r"[.,!?;:…—-]", text.lower())]
    said = [clause for clause in clauses if clause]
    return bool(said) and not re.search(r"\d", text) and all(clause in _OPENERS for clause in said)


class PieceSplitter:
    """Cuts the text of one reply as it streams in.

    The first piece ends at the first comma or full stop, or after some words, since nothing is heard before it is
    made. A later one may be ``growth`` times as long as the one before, so that it is made while that one plays; it
    ends with a sentence where it can, else a clause, else a word. Joined, the pieces are the text; none is blank.
    """

    def __init__(self, config: PieceConfig | None = None) -> None:
        self._config = config or PieceConfig()
        self._text = ""
        self._previous = 0

    def feed(self, text: str) -> list[str]:
        """Add streamed ``text``; the pieces that are complete now."""
        self._text += text
        pieces = []
        while (cut := self._find_cut()) is not None:
            pieces.append(self._take(cut))
        return pieces

    def flush(self) -> list[str]:
        """What can be said now, for a model that has gone quiet in mid-sentence: all up to the last good place."""
        cuts = [at for at, kind, _ in self._breaks() if kind is not Break.NONE]
        return [self._take(cuts[-1])] if cuts else []

    def finish(self) -> list[str]:
        """The rest, at the end of the reply."""
        pieces = []
        while len(self._text) > self._config.max_chars:
            pieces.append(self._take(self._forced(self._breaks(final=True))))
        if self._text.strip():
            pieces.append(self._text)
        self._text, self._previous = "", 0
        return pieces

    def _find_cut(self) -> int | None:
        """Where to cut the buffer now, or None to wait for more text."""
        breaks = self._breaks()
        if not self._previous:
            for at, kind, words in breaks:
                if kind >= Break.CLAUSE or (kind is Break.WORD and words >= self._config.first_words):
                    return at
        else:
            cut = self._later_cut(breaks)
            if cut is not None:
                return cut
        return self._forced(breaks) if len(self._text) > self._config.max_chars else None

    def _later_cut(self, breaks: list[tuple[int, Break, int]]) -> int | None:
        config = self._config
        allowed = min(max(config.min_chars, int(config.growth * self._previous)), config.max_chars)
        sentence = [at for at, kind, _ in breaks if kind is Break.SENTENCE and at >= config.min_chars // 2]
        if sentence and sentence[0] <= allowed:
            return sentence[0]
        if len(self._text) <= allowed:
            return None
        for wanted in (Break.CLAUSE, Break.WORD):
            fitting = [
                at for at, kind, _ in breaks if kind >= wanted and config.min_chars // 2 <= at <= allowed
            ]
            if fitting:
                return fitting[-1]
        return next((at for at, kind, _ in breaks if kind is not Break.NONE and at > allowed), None)

    def _forced(self, breaks: list[tuple[int, Break, int]]) -> int:
        """A cut within ``max_chars``, the best that there is; inside a word only when it alone is longer."""
        limit = self._config.max_chars
        for wanted in (Break.CLAUSE, Break.WORD, Break.NONE):
            fitting = [at for at, kind, _ in breaks if kind >= wanted and at <= limit]
            if fitting:
                return fitting[-1]
        return limit

    def _breaks(self, *, final: bool = False) -> list[tuple[int, Break, int]]:
        """Every place behind a word of the buffer: its index, how good it is, and how many words lie before it."""
        found = []
        for count, match in enumerate(_WORD.finditer(self._text), start=1):
            following = self._text[match.end() : match.end() + 1]
            found.append((match.end(), break_after(match[1], match[2], following), count))
        return found

    def _take(self, cut: int) -> str:
        piece, self._text = self._text[:cut], self._text[cut:]
        self._previous = len(piece.strip())
        return piece
