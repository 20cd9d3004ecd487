"""A turn that is whole: every mark, a reply of the fast seat."""

from __future__ import annotations

from agent.report.turns import Parts, Speculation, Tokens, Turn
from latency_budget.ledger import Part
from latency_budget.marks import Mark


def made_turn(number: int = 0, **changes: object) -> Turn:
    """Heard from 1 to 3 s of the call, over at 3.4 s, answered at 3.6 s."""
    facts: dict[str, object] = {
        "call": "demo",
        "turn": number,
        "exchange": number,
        "heard": "My name is Jordan, account 4417.",
        "said": "Thank you, Jordan.",
        "reference": None,
        "path": "fast",
        "bridge": None,
        "marks": {
            Mark.SPEECH_START: 1000.0,
            Mark.SPEECH_END: 3000.0,
            Mark.TURN_END: 3400.0,
            Mark.ASR_FINAL: 3300.0,
            Mark.REPLY_STARTED: 3400.0,
            Mark.REPLY_FIRST_SEGMENT: 3500.0,
            Mark.TTS_FIRST_CHUNK: 3560.0,
            Mark.FIRST_AUDIO: 3600.0,
            Mark.FIRST_CONTENT: 3600.0,
            Mark.REPLY_END: 5000.0,
        },
        "v2v_ms": 600,
        "onset_ms": 600,
        "response_ms": 200,
        "endpoint_delay_ms": 400,
        "parts_ms": Parts(endpoint=400, asr=0, decision=0, model=100, tts=60, output=40),
        "slowest_part": Part.ENDPOINT,
        "budget_met": False,
        "cut_in": False,
        "damaging": False,
        "missed": False,
        "interrupted": False,
        "overtaken": False,
        "stalls_ms": [],
        "cut_ins": [],
        "decision": None,
        "tokens": Tokens(prompt=120, reused=100, generated=9, speculated=2),
        "speculation": Speculation(),
        "underruns": 0,
        "fault": None,
        "audible_ms": [(3600.0, 5000.0)],
    }
    return Turn(**{**facts, **changes})  # type: ignore[arg-type]
