"""Answers from a set of allowed ones: what a model may say is fixed, and it only chooses. Pure.

For yes and no, slots, routing, and the facts themselves. Two ways: :func:`choose` by the scored log-probability of
whole replies, and :class:`Allowed`, which narrows the next token while a reply is written,
a trie of them (De Cao et al., "Autoregressive Entity Retrieval", 2021).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Option:
    """One allowed reply: how well it ``fits`` by other means (0 and more), and its tokens' log-probabilities."""

    text: str
    fit: float = 0.0
    logprobs: tuple[float, ...] = ()


def choose(options: Sequence[Option], fit_weight: float = 1.0) -> int:
    """The place of the option with the highest mean log-probability plus ``fit_weight * fit``, the first of equals.

    The mean and not the sum: otherwise the shortest reply wins. An option without log-probabilities counts by its fit
    alone. Raises ValueError without an option.
    """
    if not options:
        raise ValueError("there is no reply to choose from")

    def score(option: Option) -> float:
        mean = sum(option.logprobs) / len(option.logprobs) if option.logprobs else 0.0
        return mean + fit_weight * option.fit

    return min(range(len(options)), key=lambda at: (-score(options[at]), at))


class Allowed:
    """A set of allowed replies as tokens; what may come next after some of them."""

    def __init__(self, replies: Sequence[Sequence[int]], end: int) -> None:
        """``end`` is the model's end mark. Raises ValueError without a reply."""
        if not replies:
            raise ValueError("there is no reply to choose from")
        self._replies = [(*reply, end) for reply in replies]

    def next_tokens(self, said: Sequence[int]) -> list[int]:
        """Tokens that continue ``said`` to an allowed reply, in order; the end mark where it is one already.

        Raises ValueError when ``said`` begins none of them.
        """
        start, size = tuple(said), len(said)
        following = {reply[size] for reply in self._replies if len(reply) > size and reply[:size] == start}
        if not following:
            raise ValueError("what was said begins no allowed reply")
        return sorted(following)
