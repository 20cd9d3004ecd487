"""What a caller's line does, by its words: it asks for something, or it is thanks, a farewell, a yes. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from stages.council.deciding.canonical import canonical, is_number

# Patterns run over canonical words (lower case, singular, "n't" as "not"), joined by blanks.
_KINDS = {
    "duration": r"\bhow (long|soon|fast|many (minute|hour|day|week|month|year))\b"
    r"|\bwhen (would|will|do|does) (it|that|they)\b",
    "time": r"\b(when|what time|hour|what day|how late|how early)\b",
    "cost": r"\bhow much\b|\b(cost|price|charge|fee|expensive)\b"
    r"|\bwhat (do|would) (i|we|you) (have to )?(pay|want|take)\b",
    "place": r"\bwhere\b|\b(address|location|direction)\b",
    "count": r"\bhow many\b|\b(most|maximum|limit|at most)\b",
    "phone": r"\bwho (do|can|should|to|would)\b|\bwhat number\b|\b(phone|telephone) number\b",
    "else": r"\b(why|how old|how far|how big|how heavy|who)\b",
}
_ASKS = re.compile(
    r"\b(what|which|when|where|who|whom|whose|why|how|whether)\b"
    r"|(^|\b(and|but|so|okay|hi|hello|then|or|well|also)) ?(is|are|do|does|did|can|could|will|would|may|must|should|"
    r"have|has|was|were|am) (i|you|we|it|that|there|they|he|she|my|your|the|a|an|thi|1|someone|somebody)\b"
)
_WISHES = re.compile(
    r"\b(i|we) (just |really |also )?(need|want|wanted|would like|like to|am calling|lost|forgot|have to|am looking)\b"
    r"|\bi d like\b|\bi would\b|\btell me\b|\bcan you\b"
)
_SOCIAL = re.compile(
    r"\b(thank|bye|goodbye|have a (good|great|nice)|you too|take care|that is (it|all)|that (was|will be) (it|all)|"
    r"that it|that all|all i need|nice day|good night|see you|appreciate|nothing else|you have been)\b"
)
_FOLLOWS = re.compile(r"\b(it|that|there|thi|they|them|1|those|these|he|she)\b")
_STATES = re.compile(
    r"\bmy (name|number|address|phone number|account number|last name|first name) is\b|\bname is\b"
    r"|\bthe (amount|address|company|number|bill) (of [a-z ]+ )?is\b|^(it|that) (is|was)\b"
    r"|^(yes|yeah|no|nope|sure|correct)\b"
)


@dataclass(frozen=True, slots=True)
class Act:
    """``wants`` are kinds of answers (cost, time, place ...). ``goes_on``: it begins like the rest of a sentence;
    ``follows``: that, or it speaks of "it" or "there": it leans on what was said before.
    """

    asks: bool
    wishes: bool
    social: bool
    states: bool
    goes_on: bool
    follows: bool
    wants: frozenset[str]


def act_of(text: str) -> Act:
    """The act of one line."""
    words = canonical(text)
    said = " ".join(words)
    wants = frozenset(kind for kind, pattern in _KINDS.items() if re.search(pattern, said))
    return Act(
        asks="?" in text or bool(_ASKS.search(said)),
        wishes=bool(_WISHES.search(said)),
        social=bool(_SOCIAL.search(said)),
        states=bool(_STATES.search(said)),
        goes_on=(goes_on := words[:1] in (("and",), ("or",), ("but",))),
        follows=goes_on or bool(_FOLLOWS.search(said)),
        wants=wants,
    )


_DAY_WORDS = "monday tuesday wednesday thursday friday saturday sunday weekday weekend noon"
_SPAN_WORDS = "minute hour day week month year"
_SPANS = frozenset(_SPAN_WORDS.split())
_TIMES = frozenset(_DAY_WORDS.split()) | _SPANS
_PLACE = re.compile(
    r"\b(at|in|on) (\d+|the (app|link|box|store|branch|mail|confirmation))\b|\blink in\b|\b(street|road|inside)\b"
)
_PHONE = 7
"""Digits of a telephone number, at least."""


def gives(fact: str) -> frozenset[str]:
    """The kinds of answers that stand in ``fact``."""
    words = canonical(fact)
    there, said = set(words), " ".join(words)
    numbers = [word for word in words if is_number(word)]
    found = set()
    if there & {"dollar", "free", "nothing", "percent"}:
        found.add("cost")
    if there & _SPANS or "same day" in said:
        found.add("duration")
    if there & _TIMES or (numbers and "open" in there):
        found.add("time")
    if _PLACE.search(said):
        found.add("place")
    if numbers:
        found.add("count")
    if any(len(number) >= _PHONE for number in numbers):
        found.add("phone")
    return frozenset(found)
