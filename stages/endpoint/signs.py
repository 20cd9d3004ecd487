"""Evidence as numbers: the signs that the turn-end model weighs. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from stages.endpoint.evidence import Evidence
from stages.endpoint.words import Asked, asked, wanted_digits, word_signs

_EDGE = 0.005
_USUAL_PAUSE_MS = 350.0

HEADS: dict[str, tuple[str, ...]] = {}
"""Which signs count for each pattern of what is known; filled below, in the order of the file of weights."""


def log_odds(probability: float) -> float:
    """Log-odds, with the probability kept within 0.005 to 0.995."""
    kept = min(1.0 - _EDGE, max(_EDGE, probability))
    return math.log(kept / (1.0 - kept))


_asked = lru_cache(maxsize=256)(asked)
_digits = lru_cache(maxsize=256)(wanted_digits)
_words = lru_cache(maxsize=256)(word_signs)

_DICTATED = (Asked.NUMBER, Asked.NAME, Asked.ADDRESS)
_SOUND = ("sound",)
_WORDS = (
    "hanging", "filler", "closing", "acknowledges", "greeting", "introduces", "waits", "question",
    "dictating", "full_stop", "broken_off", "length", "digits_missing", "answer_to_come", "unasked",
)  # fmt: skip
_TEXT_END = ("text_end",)
_STATE = ("asked_help", "asked_dictation", "asked_choice")
_CALLER = ("pauses",)

_KNOWN: dict[str, tuple[str, ...]] = {"sound": _SOUND, "words": _WORDS, "end": _TEXT_END}
for _name in ("", "sound", "words", "sound words", "words end", "sound words end"):
    HEADS[_name] = (*(sign for part in _name.split() for sign in _KNOWN[part]), *_STATE, *_CALLER)


def head_of(evidence: Evidence) -> str:
    """The pattern of ``evidence``: the names of what is known, in the order sound, words, end."""
    words = evidence.text is not None
    known = {"sound": bool(evidence.audio), "words": words, "end": words and evidence.text_end is not None}
    return " ".join(name for name, there in known.items() if there)


def signs(evidence: Evidence) -> dict[str, float]:
    """Every sign by name; those of what is not known are 0."""
    found: dict[str, float] = {}
    found["sound"] = of_sound(evidence.audio)
    wants = _asked(evidence.said)
    found |= {
        "asked_help": float(wants is Asked.HELP),
        "asked_dictation": float(wants in _DICTATED),
        "asked_choice": float(wants is Asked.CHOICE),
    }
    found |= _of_words(evidence, wants)
    found["pauses"] = _of_pauses(evidence)
    return found


def _of_words(evidence: Evidence, wants: Asked) -> dict[str, float]:
    said = _words(evidence.text or "")
    known = evidence.text is not None
    return {
        "text_end": _text_end(evidence.text_end),
        "hanging": said.hanging,
        "filler": said.filler,
        "closing": said.closing,
        "acknowledges": said.acknowledges,
        "greeting": said.greeting,
        "question": said.question,
        "introduces": said.introduces,
        "waits": said.waits,
        "dictating": said.dictating,
        "full_stop": said.full_stop,
        "broken_off": said.broken_off,
        "length": math.log1p(said.words) if known else 0.0,
        "digits_missing": float(known and said.digits < _digits(evidence.said)),
        "answer_to_come": said.acknowledges * float(wants in _DICTATED or wants in (Asked.HELP, Asked.OPEN)),
        "unasked": said.acknowledges * float(wants is Asked.NOTHING),
    }


def of_sound(probabilities: Sequence[float]) -> float:
    """Mean of the log-odds of the newest and the lowest answer: a sound that was once called unfinished stays a bit
    so. 0 while there is none."""
    if not probabilities:
        return 0.0
    return (log_odds(probabilities[-1]) + log_odds(min(probabilities))) / 2.0


def _text_end(probability: float | None) -> float:
    """A log, centred and scaled: the model was never trained to end there, so 0.001 is already much."""
    return 0.0 if probability is None else (math.log(max(probability, 1e-7)) + 8.0) / 3.0


def _of_pauses(evidence: Evidence) -> float:
    """How long this caller's own pauses are, against the usual ones: a mean of logs, held near 0 while few are known.

    Only pauses of 150 ms and more count, and none beyond 3 s: no single one may move the caller's turn ends for good.
    """
    logs = [math.log(min(p, 3000.0) / _USUAL_PAUSE_MS) for p in evidence.pauses_ms if p >= 150.0]
    return sum(logs) / (len(logs) + 3.0)
