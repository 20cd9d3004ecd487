"""When each word was said, and how sure the recogniser is of it.

Method: dynamic time warping over the decoder's cross-attention, as in OpenAI's Whisper; CTranslate2 and faster-whisper
bring it. It costs another pass of the decoder over the text, so it is done only when asked for.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

from stages.contract import RATE_HZ, Word

_FRAME_SAMPLES = 160
"""One frame of features: 10 ms."""


def timed_words(
    model: Any, tokenizer: Any, encoded: Any, tokens: Sequence[int], samples: int
) -> tuple[Word, ...]:
    """Words of ``tokens`` (text only) in audio of ``samples`` at 16 kHz, whose encoder output is ``encoded``."""
    if not tokens:
        return ()
    frames = max(2, samples // _FRAME_SAMPLES)
    found = model.find_alignment(tokenizer, [list(tokens)], encoded, frames)[0]
    last_ms = samples * 1000.0 / RATE_HZ
    words = [
        Word(
            item["word"].strip(),
            min(last_ms, float(item["start"]) * 1000.0),
            min(last_ms, float(item["end"]) * 1000.0),
            float(item["probability"]),
        )
        for item in found
    ]
    return tuple(with_marks(words))


def with_marks(words: Sequence[Word]) -> list[Word]:
    """``words`` with marks that stand alone put to the word before them; the times stay those of the words."""
    joined: list[Word] = []
    for word in words:
        if not word.text:
            continue
        if joined and all(letter in string.punctuation for letter in word.text):
            before = joined[-1]
            joined[-1] = Word(before.text + word.text, before.start_ms, before.end_ms, before.confidence)
        else:
            joined.append(word)
    return joined
