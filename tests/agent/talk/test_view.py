"""What a person reads during a talk."""

from __future__ import annotations

import io

from rich.console import Console

from agent.report.turns import Parts, Speculation, Tokens, Turn
from agent.talk.view import BAR, LiveView, PlainView, budget_bar, meter


def row(**changes: object) -> Turn:
    known: dict[str, object] = {
        "call": "talk", "turn": 2, "exchange": 3, "heard": "When?", "said": "Now.", "reference": None,
        "path": "speculated", "bridge": None, "marks": {}, "v2v_ms": 400, "onset_ms": 400, "response_ms": 200,
        "endpoint_delay_ms": 200,
        "parts_ms": Parts(endpoint=200, asr=0, decision=0, model=100, tts=50, output=50),
        "slowest_part": "endpoint", "budget_met": True, "cut_in": False, "damaging": False, "missed": False,
        "interrupted": False, "overtaken": False, "stalls_ms": [], "cut_ins": [],
        "decision": None, "tokens": Tokens(prompt=0, reused=0, generated=0, speculated=0),
        "speculation": Speculation(
            hit=True, spoken_audio_s=0.0, fitting_audio_s=0.0, waste_tokens=0, waste_audio_s=0.0
        ),
        "underruns": 0, "fault": None,
    }  # fmt: skip
    return Turn.model_validate(known | changes)


def test_the_bar_is_as_wide_as_the_budget_and_its_parts_sum_up() -> None:
    bar = budget_bar(row(), 500.0).plain
    assert bar.index("]") == BAR + 1
    assert bar.count("#") == 32
    assert bar.endswith("400 ms = endpoint 200 + model 100 + tts 50 + output 50")


def test_a_missed_turn_says_so() -> None:
    assert budget_bar(row(v2v_ms=None, parts_ms=None, missed=True), 500.0).plain == "no answer"


def test_plain_lines_hold_everything_once() -> None:
    out = io.StringIO()
    view = PlainView(Console(file=out, width=200), 500.0)
    view.heard("whe", final=False)
    view.heard("When [are] you open?", final=True)
    view.said("Now.")
    view.turn(row())
    told = out.getvalue().splitlines()
    assert told[0] == "you:   When [are] you open?"
    assert told[1] == "agent: Now."
    assert told[2].startswith("  turn 2: [")
    assert told[2].endswith("(speculated)")
    assert len(told) == 3


def test_the_live_view_ends_with_the_same_words() -> None:
    out = io.StringIO()
    view = LiveView(Console(file=out, width=100, force_terminal=True), 500.0)
    view.state("hearing")
    view.level(-20.0)
    view.heard("When are you open?", final=True)
    view.said("Now.")
    view.turn(row())
    view.close()
    assert all(words in out.getvalue() for words in ("When are you open?", "Now.", "400 ms"))


def test_the_meter_goes_from_silence_to_full_scale() -> None:
    assert meter(-120.0) == " " * 20
    assert meter(-30.0) == "|" * 10 + " " * 10
    assert meter(0.0) == "|" * 20
