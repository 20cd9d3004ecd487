"""One reply as it is made: tokens become text that may be spoken, and their log-probabilities are kept."""

from __future__ import annotations

import codecs
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from stages.contract import Piece
from stages.council.clean import ThinkingFilter
from stages.council.repeats import RepeatFilter
from stages.council.sample import Sampling, log_probability, pick, pick_of
from stages.council.stops import StopFilter
from stages.council.vocab import Vocab

Ending = Literal["model", "stop", "limit", "left"]
"""Why a reply is over: the model's own mark, a stop text, the token limit, or it was taken away."""


class Writer:
    """Draws the tokens of one reply. ``over`` is None while it goes on."""

    def __init__(self, vocab: Vocab, sampling: Sampling) -> None:
        self._vocab, self.sampling = vocab, sampling
        self._rng = np.random.default_rng(sampling.seed)
        self._utf8 = codecs.getincrementaldecoder("utf-8")("replace")
        self._thinking, self._stops = ThinkingFilter(), StopFilter(sampling.stop)
        self._repeats = RepeatFilter()
        self._unsaid = 0  # tokens whose text is still held
        self.tokens: list[int] = []
        self.pieces: list[bytes] = []
        self.logprobs: list[float] = []
        self.text = ""
        self.over: Ending | None = None

    def draw(self, logits: NDArray[np.float32]) -> tuple[int | None, Piece | None]:
        """The next token to read, None at the end, and the text that is ready now, None for none."""
        token = self._pick(logits)
        self.logprobs.append(log_probability(logits, token))
        if self._vocab.ends(token):
            return None, self._end("model")
        self.tokens.append(token)
        self.pieces.append(self._vocab.piece(token))
        self._unsaid += 1
        ready = self._stops.feed(self._thinking.feed(self._utf8.decode(self.pieces[-1])))
        ready = self._repeats.feed(ready)
        if self._stops.stopped or self._repeats.stopped:
            return None, self._end("stop", ready)
        if len(self.tokens) >= self.sampling.max_tokens:
            return None, self._end("limit", ready)
        return token, self._say(ready)

    def leave(self) -> None:
        """The reply is taken away before its end."""
        if self.over is None:
            self.over = "left"

    def _pick(self, logits: NDArray[np.float32]) -> int:
        how = self.sampling
        if how.narrow is None:
            return pick(logits, how.temperature, self._rng, how.min_p)
        return pick_of(how.narrow(self.tokens), logits, how.temperature, self._rng, how.min_p)

    def _end(self, why: Ending, ready: str = "") -> Piece | None:
        self.over = why
        if why != "stop":
            rest = self._thinking.feed(self._utf8.decode(b"", final=True)) + self._thinking.finish()
            ready += (
                self._repeats.feed(self._stops.feed(rest) + self._stops.finish()) + self._repeats.finish()
            )
        return self._say(ready)

    def _say(self, text: str) -> Piece | None:
        if not text:
            return None
        self.text += text
        piece, self._unsaid = Piece(text, self._unsaid), 0
        return piece
