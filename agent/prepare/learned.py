"""What was learned from past calls, as text for people and as data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml

from agent.prepare.leave_one_out import Guess, precision
from agent.prepare.lines import Talk
from agent.prepare.replies import ReplySet
from latency_budget.statistics import Share

THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)

HEAD = """\
# Replies that agents gave in {calls} calls, for the persona {persona}. Read them before you use them: keep what this
# persona may say, word it as it should sound, and take out whatever belongs to one caller. A {{slot}} stands for a
# value of the call; a reply with a slot is never said from memory.
#
# How well they predict a call that was left out ({replies} replies):
{table}

"""


def learned_yaml(replies: ReplySet, persona: str, talks: Sequence[Talk], found: Sequence[Guess]) -> str:
    """A file for review: it loads as it is."""
    table = "\n".join(f"#   {line}" for line in _table(found))
    head = HEAD.format(calls=len(talks), persona=persona, replies=len(found), table=table)
    data = {"templates": [one.model_dump(mode="json") for one in replies.templates]}
    return head + yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=110)


def summary(replies: ReplySet, talks: Sequence[Talk], found: Sequence[Guess]) -> str:
    """For the terminal."""
    open_ones = sum(bool(one.slots) for one in replies.templates)
    first = (
        f"{len(replies.templates)} replies from {len(talks)} calls ({open_ones} of them with slots). "
        f"Each call predicted from the others, {len(found)} replies:"
    )
    return "\n".join([first, *_table(found)])


def document(replies: ReplySet, talks: Sequence[Talk], found: Sequence[Guess]) -> dict[str, Any]:
    """As JSON data."""
    rows = []
    for threshold in THRESHOLDS:
        fits, covered = precision(found, threshold)
        rows.append({"threshold": threshold, "precision": _data(fits), "coverage": _data(covered)})
    return {
        "calls": len(talks),
        "replies": len(found),
        "templates": [one.model_dump(mode="json") for one in replies.templates],
        "left_out": rows,
    }


def _table(found: Sequence[Guess]) -> list[str]:
    return [
        f"chance >= {threshold:.1f}: {_text(fits)} fit, of {_text(covered)} of the replies"
        for threshold in THRESHOLDS
        for fits, covered in [precision(found, threshold)]
    ]


def _text(one: Share) -> str:
    if one.value is None or one.low is None or one.high is None:
        return "none"
    return f"{one.hits} of {one.count} ({one.value:.0%}, {one.low:.0%} to {one.high:.0%})"


def _data(one: Share) -> dict[str, float | int | None]:
    return {"hits": one.hits, "count": one.count, "value": one.value, "low": one.low, "high": one.high}
