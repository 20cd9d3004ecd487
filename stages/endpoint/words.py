"""What the words so far say about whether the caller is done, and what the agent had asked. Pure.

The lists are closed classes of English (articles, prepositions, conjunctions, fillers, number words) and the
formulas of a phone call, not words taken from any recording.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

_WORD = re.compile(r"[a-z0-9']+")


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_HANGING = _set(
    "a an the my your his her our their its this these those some any every no "
    "and or but so because cause if when while since unless although whether than as like "
    "of to for from with without in into on onto at by about between through per under over near "
    "i i'm i'd i'll i've we we're we'd he she they they're it's you're there's that's who's what's "
    "is are was were am be been being has have had do does did will would can could should may might must "
    "um uh er erm hmm mm well just maybe actually also then please mr mrs ms dr"
)
_FILLERS = _set("um uh er erm hmm mm ah")
_CLOSING = re.compile(
    r"(\b(bye|goodbye|thank you|thanks|thank you so much|thank you very much|that's all|that is all|that's it|"
    r"that would be all|that will be all|that'll be all|no more questions|have a (good|great|nice) (one|day|night))"
    r"( (bye|you too|too|very much|so much|now|then|for now|for today|ma'am|sir))*)$"
)
_ACKNOWLEDGE = _set(
    "yes yeah yep yup no nope nah okay ok sure right correct alright fine great perfect good cool awesome "
    "absolutely exactly gotcha please it is that's thank you thanks mhm uh huh all all sounds"
)
_GREETING = _set("hi hello hey good morning afternoon evening there how are you doing today yes")
_NUMBER = _set(
    "zero oh one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand double "
    "triple point"
)
_DIGIT = _set("zero oh one two three four five six seven eight nine")
_QUESTION_START = _set(
    "what when where who whom whose which why how is are am was were do does did can could will would should "
    "may might have has"
)


_REQUEST = re.compile(
    r"\b(want|wanted|need|needed|like to|lost|stolen|help|can (i|you|we)|could (i|you|we)|question|questions|wondering|"
    r"looking|calling (about|because|to|for)|check|pay|transfer|reset|order|book|cancel|change|problem|issue|trying)\b"
)
_INTRODUCTION = re.compile(r"\b(my name is|my name's|this is|i'm calling|i am calling)\b")
_WAIT = re.compile(
    r"\b(one (moment|second|sec|minute)|hold on|hang on|just a (moment|second|sec|minute)|"
    r"let me (see|check|look|find|get|think|grab)|give me a (moment|second|sec|minute))\b"
    r"|\b((one|another|the) (more|other|last|next) (thing|question)|another (thing|question)|something else|"
    r"(a|one) (quick |small |last )?question)$"
)


class Asked(StrEnum):
    """What kind of answer the agent's last words ask for."""

    NOTHING = "nothing"
    HELP = "help"
    NUMBER = "number"
    NAME = "name"
    ADDRESS = "address"
    CHOICE = "choice"
    OPEN = "open"


_ASKS = re.compile(
    r"\?$|\b(what|when|where|who|which|how|can i|may i|could i|could you|can you|would you|do you|did you|is there|"
    r"are you|is that|is this|please (tell|give|say|spell|state|confirm|provide)|what's|let me know|anything else)\b"
)
_KINDS = (
    (
        Asked.HELP,
        re.compile(
            r"\b(how (can|may|could) (i|we) (help|assist|direct)|what can (i|we) (do|help))\b(?!.*\belse\b)"
        ),
    ),
    (Asked.CHOICE, re.compile(r"\banything else\b|\belse\b.*\b(help|do|assist)\b")),
    (Asked.ADDRESS, re.compile(r"\b(address|where do you live)\b")),
    (
        Asked.NUMBER,
        re.compile(
            r"\b(numbers?|digits?|zip|code|date of birth|birthday|pin|how (much|many|old|long)|amount|date)\b"
        ),
    ),
    (Asked.NAME, re.compile(r"\b(names?|spell|spelling|spelled|email|e-mail|speaking (with|to))\b")),
    (Asked.OPEN, re.compile(r"\b(what|when|where|who|which|how|why)\b(?!.* or )")),
    (
        Asked.CHOICE,
        re.compile(
            r"\b(is (that|this|it)|are you|do you|did you|does (that|this|it)|would you|will (that|this)|have you|"
            r"can you|correct|right|okay|or)\b"
        ),
    ),
)
_LONG_NUMBER = re.compile(
    r"\b(phone|telephone|account|card|routing|social|tracking|contact|callback) ?(number|digits)?\b"
)
_QUESTION_WORDS = 12


def asked(said: str) -> Asked:
    """What the agent's last words ask for, judged on the last sentence, or its last dozen words where it is long."""
    last = last_question(said)
    if not _ASKS.search(last):
        return Asked.NOTHING
    return next((kind for kind, pattern in _KINDS if pattern.search(last)), Asked.OPEN)


def last_question(said: str) -> str:
    """The last sentence of ``said`` that is not a bare courtesy, in lower case; at most its last dozen words."""
    sentences = [part for part in re.split(r"(?<=[.!?])\s+", said.lower().strip()) if part]
    sentence = re.sub(r"\bmy name is \w+", "", sentences[-1]) if sentences else ""
    return " ".join(sentence.split()[-_QUESTION_WORDS:])


@dataclass(frozen=True, slots=True)
class WordSigns:
    """Signs in the caller's words so far, each 0 or 1 but for the count.

    Attributes:
        hanging: the last word wants another ("and", "my", "to", "I'm").
        filler: the last word is "um" or its like.
        closing: the words end in a farewell or thanks.
        acknowledges: three words at most, all of consent or refusal.
        greeting: nothing but a greeting so far.
        introduces: the speaker says who is calling, and has not yet said what for.
        waits: asks for a moment, or ends by announcing more ("one more thing", "a question").
        question: the last sentence is a question.
        dictating: the last word is a number or a single letter.
        full_stop: the recogniser ended the words with a full stop, question or exclamation mark.
        broken_off: it ended them with a comma, a dash or dots.
        words: how many words.
        digits: how many digits were said, in figures or as words.
    """

    hanging: float
    filler: float
    closing: float
    acknowledges: float
    greeting: float
    introduces: float
    waits: float
    question: float
    dictating: float
    full_stop: float
    broken_off: float
    words: int
    digits: int


def wants_more(signs: WordSigns) -> bool:
    """Whether the last words are no end: they hang, are a filler, break off, or belong to a number or spelling."""
    return bool(signs.hanging or signs.filler or signs.broken_off or signs.dictating)


def plain(text: str) -> str:
    """``text`` in lower case, without punctuation: how people speak, and how the small language model is asked."""
    return " ".join(_WORD.findall(text.lower().replace("\u2019", "'")))


def word_signs(text: str) -> WordSigns:
    """The signs in ``text``, as the recogniser wrote it."""
    text = text.strip()
    words = plain(text).split()
    last = words[-1] if words else ""
    joined = " ".join(words)
    sentence = plain(re.split(r"(?<=[.!?])\s+", text)[-1]).split() if text else []
    asks = text.endswith("?") or bool(sentence and sentence[0] in _QUESTION_START and len(sentence) > 2)
    broken = text.endswith((",", "-", "\u2014", "...", "\u2026", ":"))
    return WordSigns(
        hanging=float(last in _HANGING and not _CLOSING.search(joined)),
        filler=float(last in _FILLERS),
        closing=float(bool(_CLOSING.search(joined))),
        acknowledges=float(0 < len(words) <= 3 and all(word in _ACKNOWLEDGE for word in words)),
        greeting=float(bool(words) and all(word in _GREETING for word in words) and words != ["yes"]),
        introduces=float(bool(_INTRODUCTION.search(joined)) and not _REQUEST.search(joined)),
        waits=float(bool(_WAIT.search(joined))),
        question=float(asks),
        dictating=float(last in _NUMBER or last.isdigit() or (len(last) == 1 and last not in ("a", "i"))),
        full_stop=float(text.endswith((".", "?", "!")) and not broken),
        broken_off=float(broken),
        words=len(words),
        digits=sum(len(word) if word.isdigit() else word in _DIGIT for word in words),
    )


def wanted_digits(said: str) -> int:
    """How many digits the answer to ``said`` takes at least: 7 for phone, account and card numbers, 5 for an address
    (it ends in its postal code), else none."""
    last = last_question(said)
    if asked(said) is Asked.ADDRESS:
        return 5
    return 7 if asked(said) is Asked.NUMBER and _LONG_NUMBER.search(last) else 0
