"""Lines that ask for nothing but manners: thanks, a farewell, a greeting, "say that again". Pure.

A line counts only when nothing else is in it: every word has to belong to the manners. What carries a wish, a name of
a thing, a number, is left to those who answer questions.
"""

from __future__ import annotations

import re
from typing import Literal

from stages.council.deciding.canonical import canonical

Manners = Literal["again", "wait", "farewell", "thanks", "greeting"]

_BY_KIND: tuple[tuple[Manners, re.Pattern[str]], ...] = (
    (
        "again",
        re.compile(
            r"\b(say|repeat) (that|it|thi|the last (part|bit|thing))\b|\b(pardon|come again)\b"
            r"|\bwhat (was|did you) (that|say)\b|\bdid not (catch|get|hear|understand)\b"
        ),
    ),
    (
        "wait",
        re.compile(
            r"\b(1|just a|hold on a|give me a) (moment|second|minute)\b|\bhold on\b|\blet me (get|find|look|see)\b"
        ),
    ),
    (
        "farewell",
        re.compile(
            r"\b(bye|goodbye|you too|take care|see you|nothing else|have a (good|great|nice|lovely|wonderful))\b"
            r"|\b(that|thi) (is|was|will be|was going to be) (it|all|everything)\b|\bthat (it|all|everything)\b"
        ),
    ),
    ("thanks", re.compile(r"\bthank\b|\bappreciate\b")),
    ("greeting", re.compile(r"\b(hi|hello|hey|good (morning|afternoon|evening))\b")),
)
_NO_MORE = re.compile(r"\bno\b|\bnope\b|\bnah\b|\bi do not think so\b")
_ASKED_MORE = re.compile(r"\b(anything|something|what) else\b|\b(any )?other question\b")
_LEAVES = re.compile(
    r"\bthank(s)? (you|for)\b|\bbye\b|\bgoodbye\b|\bgood ?day\b|\bgreat day\b|\bsee(ing)? you\b"
)
_ENDING = 14
"""Words of an agent's line that hold its last question."""
_NAME = re.compile(
    r"\b(my name|this) is [a-z]+( (?!i\b|and\b|how\b|what\b|when\b|where\b)[a-z]+)?|\b[a-z]+ speaking\b"
)
_MANNERS_WORDS = (
    "okay ok alright all right yes yeah yep no nope nah oh ah well so um uh uhm hm mm then now and but "
    "just really very thank thanks you much a lot again for your the help today this that is was it will "
    "be going to everything perfect great good fine excellent wonderful lovely awesome nice cool super "
    "sounds bye goodbye too take care see have day morning afternoon evening night weekend one appreciate "
    "i we do not think needed wanted know nothing else hi hello hey there please sorry pardon me could "
    "can would say repeat last part bit thing what did catch get hear understand moment second minute "
    "hold on give let find look pen paper something write down of here tomorrow later been as "
    "same same's goes all's sure got he she her him us them come are were "
)
_MANNERS = frozenset(canonical(_MANNERS_WORDS))


def manners_of(text: str, said_before: str = "") -> Manners | None:
    """What ``text`` is, if it is manners and nothing else; ``said_before`` is what the agent said last."""
    words = canonical(_NAME.sub(" hello ", text.lower()))
    if not words or any(word not in _MANNERS for word in words):
        return None
    said = " ".join(words)
    kind = next((kind for kind, pattern in _BY_KIND if pattern.search(said)), None)
    if kind in (None, "thanks") and asks_for_more(said_before) and (kind or _NO_MORE.search(said)):
        return "farewell"
    if kind not in ("again", "wait") and "?" in text:
        return None
    return kind


def asks_for_more(said: str) -> bool:
    """Whether an agent's line ends with the question for further wishes."""
    return bool(_ASKED_MORE.search(" ".join(canonical(said)[-_ENDING:])))


def takes_leave(said: str) -> bool:
    """Whether an agent's line thanks for the call or wishes a good day, and goes."""
    return bool(_LEAVES.search(" ".join(canonical(said))))
