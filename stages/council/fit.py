"""Keeping a conversation within the context: what is dropped, and how much of the cache stays good. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence

from stages.contract import Message
from stages.errors import InputError

STEP = 8
"""Old messages go in steps of eight: dropping one a turn would move the whole prompt, and void the cache, each turn."""


def fit(messages: Sequence[Message], count: Callable[[Sequence[Message]], int], limit: int) -> list[Message]:
    """``messages`` without the oldest ones, as few as make ``count`` of the rest at most ``limit`` tokens.

    System messages in front and the last message always stay. What remains starts with the caller where it can.
    Raises InputError when even that is too long.
    """
    if not messages:
        raise InputError("seat.messages", "There is no message to answer.")
    system = 0
    while system < len(messages) - 1 and messages[system]["role"] == "system":
        system += 1
    head, turns = list(messages[:system]), list(messages[system:])
    cuts = _cuts(len(turns))
    # Fewer messages are fewer tokens, so halving finds the first cut that fits: in a long call each try costs 1 ms.

    def fits(cut: int) -> bool:
        return count(head + _from_caller(turns[cut:])) <= limit

    first = 0 if fits(0) else bisect_left(cuts, True, lo=1, key=fits)
    if first < len(cuts):
        return head + _from_caller(turns[cuts[first] :])
    raise InputError(
        "seat.prompt_too_long",
        f"The system message and the last message alone are more than the {limit} tokens that fit.",
        "Shorten them, or raise n_ctx.",
    )


def common_prefix(one: Sequence[int], other: Sequence[int]) -> int:
    """How many leading tokens two sequences share."""
    for at, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return at
    return min(len(one), len(other))


def _cuts(turns: int) -> list[int]:
    """How many turns to try to drop, in order: whole steps first, then all but the last ones."""
    steps = list(range(0, turns, STEP))
    return steps + list(range(steps[-1] + 1, turns))


def _from_caller(turns: list[Message]) -> list[Message]:
    while len(turns) > 1 and turns[0]["role"] == "assistant":
        turns = turns[1:]
    return turns
