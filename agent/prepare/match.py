"""Which prepared reply fits: templates ranked by how likely the agent is to say them next. Pure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agent.prepare.mining import ALIKE
from agent.prepare.replies import SLOT, ReplySet, Template
from agent.prepare.similar import likeness, plain, wish
from stages.council.deciding.canonical import canonical, contains
from stages.council.social import Manners

OTHER_STATE = 0.25
"""What an example counts for when the agent had said something else before it."""
UNSEEN = 0.5
"""Examples' worth of doubt: a turn unlike any that was seen gets a low chance for every reply."""
SHARPNESS = 3.0


@dataclass(frozen=True, slots=True)
class Likely:
    """A template and the chance that it is the reply."""

    template: Template
    probability: float


class Matcher:
    """The templates of one persona, ready to be asked. Immutable."""

    def __init__(self, replies: ReplySet) -> None:
        self._templates = replies.templates
        self._examples = [
            (at, wish(text)) for at, template in enumerate(replies.templates) for text in template.after
        ]
        seen = Counter(word for _, words in self._examples for word in set(words))
        self._weight = {word: math.log(1.0 + len(self._examples) / count) for word, count in seen.items()}

    def state_after(self, said: str) -> str | None:
        """The template that the agent's last words are, if they are one."""
        form = plain(said)
        known = [(plain(one.text), one.name) for one in self._templates]
        scored = [(likeness(words, form[-len(words) :]), name) for words, name in known]
        best = max(scored, default=(0.0, ""))
        return best[1] if best[0] >= ALIKE else None

    def likely(self, state: str | None, text: str) -> list[Likely]:
        """Templates by their chance to be the reply to ``text``, the likeliest first.

        ``state`` is the template that the agent said last (:meth:`state_after`). ``text`` may be partial.
        """
        words = wish(text)
        scores = [0.0] * len(self._templates)
        for at, example in self._examples:
            score = self._cosine(words, example) ** SHARPNESS
            template = self._templates[at]
            if template.state and state not in template.state:
                score *= OTHER_STATE
            scores[at] += score * max(1, template.count) / len(template.after)
        total = sum(scores) + UNSEEN
        order = sorted(range(len(scores)), key=lambda at: (-scores[at], at))
        return [Likely(self._templates[at], scores[at] / total) for at in order if scores[at] > 0.0]

    def mannered(self, kind: Manners, said: str) -> Template | None:
        """The reply to manners of this ``kind``: one for what the agent ``said`` last before one for any state."""
        meant = [one for one in self._templates if kind in one.when and not one.slots]
        state = self.state_after(said)
        here = [one for one in meant if state in one.state]
        return (here or meant)[0] if meant else None

    def _cosine(self, one: Sequence[str], two: Sequence[str]) -> float:
        left, right = set(one), set(two)
        both = sum(self._known(word) ** 2 for word in left & right)
        norm = sum(self._known(w) ** 2 for w in left) * sum(self._known(w) ** 2 for w in right)
        return both / math.sqrt(norm) if norm else 0.0

    def _known(self, word: str) -> float:
        return self._weight.get(word, math.log(1.0 + max(1, len(self._examples))))


def filled(template: Template, values: Mapping[str, str], final_text: str) -> str | None:
    """``template`` with its slots filled; None unless the caller said every value in this very turn.

    Nothing that belongs to another turn, or to another caller, gets into a reply this way.
    """
    heard = canonical(final_text)
    for slot in template.slots:
        value = canonical(values.get(slot, ""))
        if not value or not contains(heard, value):
            return None
    return SLOT.sub(lambda match: values[match[1]], template.text)
