"""Long silences are shortened, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.calls.label import Span
from agent.calls.load import LoadedCall
from agent.calls.model import Call, Segment
from agent.calls.skip import plan_skips, shorten_gaps, splice
from agent.calls.turns import caller_turns

from .conftest import RATE


def loaded(seconds: float, *segments: Segment) -> LoadedCall:
    """A call whose samples are all different, so that a lost or moved one is seen."""
    audio = np.linspace(-1, 1, round(seconds * RATE), dtype=np.float32)
    return LoadedCall(Call(name="a", turns=segments), audio, None, caller_turns(segments), "labels")


def caller(start_s: float, end_s: float) -> Segment:
    return Segment(role="caller", start_s=start_s, end_s=end_s)


def test_a_gap_keeps_three_seconds_and_its_last() -> None:
    call = loaded(30, caller(1, 2), Segment(role="agent", start_s=3, end_s=11), caller(12, 13))
    short = shorten_gaps(call, 4.0)
    assert short.plan.removed == (Span(5 * RATE, 11 * RATE), Span(16 * RATE, 29 * RATE))
    assert (short.removed_s, len(short.caller)) == (19.0, 11 * RATE)
    assert [(turn.start_s, turn.end_s) for turn in short.turns] == [(1, 2), (6, 7)]
    assert [short.at_s(at) for at in (0.5, 5.0, 8.0, 11.0, 12.5, 30.0)] == [0.5, 5.0, 5.0, 5.0, 6.5, 11.0]
    assert short.turns[0].agent_next_s == 3.0


def test_a_gap_of_just_the_length_stays() -> None:
    call = loaded(10, caller(1, 2), caller(6, 7))
    assert shorten_gaps(call, 4.0).plan.removed == ()
    assert shorten_gaps(call, 3.9).plan.removed == (Span(round(4.925 * RATE), round(5.025 * RATE)),)


def test_a_hold_and_the_lead_in_are_gaps_too() -> None:
    short = shorten_gaps(loaded(31, caller(10, 11), caller(20, 30)), 4.0)
    assert short.plan.removed == (Span(3 * RATE, 9 * RATE), Span(14 * RATE, 19 * RATE))
    assert [(hold.start_s, hold.end_s) for hold in short.turns[0].holds] == [(5, 9)]


def test_none_keeps_everything() -> None:
    call = loaded(60, caller(50, 51))
    short = shorten_gaps(call, None)
    assert short.caller is call.caller
    assert (short.turns, short.removed_s, short.at_s(33.0)) == (call.turns, 0.0, 33.0)


def test_a_gap_too_short_for_an_answer_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        plan_skips([], 100, 0.9)


def test_the_joint_crosses_over_in_ten_milliseconds() -> None:
    audio = np.concatenate([np.zeros(6 * RATE, np.float32), np.ones(6 * RATE, np.float32)])
    joined = splice(audio, plan_skips([], len(audio), 4.0))
    assert len(joined) == 4 * RATE
    joint = 3 * RATE
    assert not joined[: joint - 160].any()
    assert joined[joint:].all()
    np.testing.assert_allclose(joined[joint - 160 : joint], np.arange(1, 161) / 160, atol=1e-6)


@st.composite
def channels(draw: st.DrawFn) -> LoadedCall:
    segments, cursor = [], 0
    for _ in range(draw(st.integers(0, 5))):
        start = cursor + draw(st.integers(1, 1_000))
        cursor = start + draw(st.integers(1, 300))
        segments.append(caller(start / 100, cursor / 100))
    return loaded(cursor / 100 + draw(st.floats(0.01, 12)), *segments)


@given(call=channels(), max_gap_s=st.floats(1.0, 8.0))
@settings(deadline=None)
def test_speech_is_never_touched_and_labels_keep_their_length(call: LoadedCall, max_gap_s: float) -> None:
    short = shorten_gaps(call, max_gap_s)
    assert len(short.caller) == len(call.caller) - sum(span.end - span.start for span in short.plan.removed)
    before = [one for turn in call.turns for one in turn.segments]
    after = [one for turn in short.turns for one in turn.segments]
    cursor = 0.0
    for old, new in zip(before, after, strict=True):
        assert new.seconds == pytest.approx(old.seconds, abs=1e-9)
        there, here = round(old.start_s * RATE), round(new.start_s * RATE)
        samples = round(old.seconds * RATE)
        np.testing.assert_array_equal(
            short.caller[here : here + samples], call.caller[there : there + samples]
        )
        assert new.start_s - cursor <= max_gap_s + 2 / RATE
        cursor = new.end_s
    assert short.at_s(call.seconds) == pytest.approx(len(short.caller) / RATE)
