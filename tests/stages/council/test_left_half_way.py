"""A reply that was left half way does not disturb the one after it, however late it is cleaned up."""

from __future__ import annotations

from pathlib import Path

from stages.contract import Message
from stages.council.config import SeatConfig
from stages.council.seat import LlamaSeat

CONFIG = SeatConfig(threads=1, n_ctx=512, reply_tokens=64, batch_tokens=64)
FIRST = [Message(role="user", content="one two three")]
SECOND = [Message(role="user", content="four five six")]


def test_a_late_clean_up_does_not_stop_the_next_reply(tiny: Path) -> None:
    fresh = LlamaSeat(tiny, CONFIG)
    whole = [piece.text for piece in fresh.reply(SECOND, max_tokens=12)]
    fresh.close()
    seat = LlamaSeat(tiny, CONFIG)
    left = seat.reply(FIRST, max_tokens=12)
    next(left)
    following = seat.reply(SECOND, max_tokens=12)
    said = [next(following).text]
    left.close()  # type: ignore[attr-defined]
    said += [piece.text for piece in following]
    seat.close()
    assert len(whole) > 2
    assert said == whole
