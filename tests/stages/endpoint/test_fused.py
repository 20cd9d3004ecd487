"""The turn-end model: heads by what is known, the silence needed, the operating point, the shipped weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.endpoint.evidence import Evidence
from stages.endpoint.fused import KNOTS_MS, NEVER_MS, Head, load_weights, weights_from
from stages.endpoint.signs import HEADS, head_of, signs
from stages.errors import EnvironmentFault

RISING = tuple(float(at) for at in range(len(KNOTS_MS)))


def test_the_head_is_chosen_by_what_is_known() -> None:
    assert head_of(Evidence()) == ""
    assert head_of(Evidence(audio=(0.5,))) == "sound"
    assert head_of(Evidence(text="yes")) == "words"
    assert head_of(Evidence(text="yes", text_end=0.1)) == "words end"
    assert head_of(Evidence(audio=(0.5,), text="yes", text_end=0.1)) == "sound words end"
    assert head_of(Evidence(audio=(0.5,), text_end=0.1)) == "sound"


def test_the_silence_needed_falls_as_the_evidence_grows() -> None:
    head = Head(0.0, {"sound": 1.0}, RISING)
    sure, unsure = Evidence(audio=(0.9,)), Evidence(audio=(0.5,))
    assert head.needed_ms(sure, 2.0) == 96.0
    assert head.needed_ms(unsure, 2.0) == 320.0
    assert head.needed_ms(unsure, 100.0) == NEVER_MS


def test_between_knots_the_silence_is_in_whole_windows() -> None:
    assert Head(0.0, {}, RISING).needed_ms(Evidence(), 0.5) == 96.0 + 2 * 32.0


def test_a_sound_that_was_once_unfinished_stays_a_bit_so() -> None:
    assert signs(Evidence(audio=(0.5, 0.9)))["sound"] == pytest.approx(
        signs(Evidence(audio=(0.9,)))["sound"] / 2
    )


def test_one_long_pause_does_not_move_the_caller_for_good() -> None:
    once = signs(Evidence(pauses_ms=(60_000.0,)))["pauses"]
    assert once == signs(Evidence(pauses_ms=(3000.0,)))["pauses"]
    assert 0.0 < once < 0.6
    assert signs(Evidence(pauses_ms=(100.0, 32.0)))["pauses"] == 0.0


EVIDENCE = st.builds(
    Evidence,
    audio=st.lists(st.floats(0.0, 1.0), max_size=4).map(tuple),
    text=st.none() | st.text(max_size=60),
    text_end=st.none() | st.floats(0.0, 1.0),
    said=st.text(max_size=60),
    pauses_ms=st.lists(st.floats(0.0, 1e5), max_size=5).map(tuple),
    turn_ms=st.floats(0.0, 1e5),
)


@given(EVIDENCE, st.floats(0.01, 0.3), st.floats(0.01, 0.3))
def test_accepting_more_cut_ins_never_waits_longer(evidence: Evidence, one: float, other: float) -> None:
    weights = load_weights()
    low, high = sorted((one, other))
    assert weights.needed_ms(evidence, high) <= weights.needed_ms(evidence, low)


@given(EVIDENCE)
def test_more_silence_never_makes_the_end_less_likely(evidence: Evidence) -> None:
    weights = load_weights()
    found = [weights.probability(evidence, at) for at in (0.0, 96.0, 200.0, 700.0, 1500.0, 9000.0)]
    assert found == sorted(found)
    assert found[0] >= 0.0
    assert found[-1] <= 1.0


def test_clear_ends_need_little_and_hanging_words_much() -> None:
    """The shipped weights, at the default operating point: a plain answer to a question, and half a sentence."""
    weights, said = load_weights(), "Is there anything else I can help you with?"
    clear = Evidence(audio=(0.97, 0.98), text="No, that's all, thank you.", text_end=0.002, said=said)
    hanging = Evidence(
        audio=(0.03, 0.02), text="I would like to, um", text_end=1e-6, said="How can I help you?"
    )
    assert weights.needed_ms(clear, 0.2) <= 200.0
    assert weights.needed_ms(hanging, 0.2) >= 2000.0


def good() -> dict[str, Any]:
    head = {"constant": 0.0, "weights": {}, "silence": list(RISING)}
    return {"heads": dict.fromkeys(HEADS, head), "calibration": [[0.05, 3.0], [0.1, 1.0]]}


def test_the_operating_point_is_interpolated_and_held_at_the_ends() -> None:
    weights = weights_from(good())
    assert weights.log_odds_for(0.01) == 3.0
    assert weights.log_odds_for(0.075) == pytest.approx(2.0)
    assert weights.log_odds_for(0.5) == 1.0


@pytest.mark.parametrize("broken", ["", "[]", "{}", "falling"])
def test_a_file_without_weights_is_named(broken: str, tmp_path: Path) -> None:
    path = tmp_path / "w.json"
    if broken == "falling":
        data = good()
        data["heads"] = {name: {"constant": 0, "weights": {}, "silence": RISING[::-1]} for name in HEADS}
        broken = json.dumps(data)
    path.write_text(broken)
    with pytest.raises(EnvironmentFault, match=r"w\.json holds no turn-end weights"):
        load_weights(path)
