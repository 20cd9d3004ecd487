import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_marks import GOOD

from latency_budget.config import BudgetConfig
from latency_budget.ledger import Part, budget_met, ledger, slowest_part, whole_ms, whole_parts
from latency_budget.marks import Mark, TurnMarks

times = st.floats(0, 20_000, allow_nan=False)


@st.composite
def valid_marks(draw: st.DrawFn) -> TurnMarks:
    """Any possible marks of a turn that was answered after its end, some of them absent."""
    start = draw(times)
    gaps = st.floats(0, 3_000, allow_nan=False)
    end = start + draw(gaps)
    turn_end = start + draw(gaps)
    started = draw(times)
    segment = started + draw(gaps)
    chunk = segment + draw(gaps)
    asr = start + draw(gaps)
    audio = max(end, turn_end, chunk, asr) + draw(gaps)
    content = audio + draw(gaps)
    optional = {
        Mark.ASR_FINAL: asr,
        Mark.REPLY_STARTED: started,
        Mark.REPLY_FIRST_SEGMENT: segment,
        Mark.TTS_FIRST_CHUNK: chunk,
    }
    kept = {mark: at for mark, at in optional.items() if draw(st.booleans())}
    fixed = {
        Mark.SPEECH_START: start,
        Mark.SPEECH_END: end,
        Mark.TURN_END: turn_end,
        Mark.FIRST_AUDIO: audio,
        Mark.FIRST_CONTENT: content,
    }
    return TurnMarks(0, fixed | kept)


def test_every_number_of_a_plain_turn() -> None:
    found = ledger(TurnMarks(0, GOOD))
    assert (found.v2v_ms, found.onset_ms, found.response_ms, found.endpoint_delay_ms) == (400, 400, 240, 160)
    assert found.parts_ms == {"endpoint": 160, "asr": 40, "decision": 1, "model": 90, "tts": 60, "output": 49}


def test_work_done_ahead_costs_nothing() -> None:
    ahead = {
        Mark.ASR_FINAL: 1900,
        Mark.REPLY_STARTED: 1905,
        Mark.SEAT_STARTED: 1906,
        Mark.REPLY_FIRST_SEGMENT: 1950,
        Mark.TTS_FIRST_CHUNK: 2000,
    }
    found = ledger(TurnMarks(0, GOOD | ahead))
    assert found.parts_ms == {"endpoint": 160, "asr": 0, "decision": 0, "model": 0, "tts": 0, "output": 240}


def test_an_early_commit_has_no_endpoint_part_and_a_negative_delay() -> None:
    found = ledger(TurnMarks(0, GOOD | {Mark.TURN_END: 1900}))
    assert found.endpoint_delay_ms == -100
    assert found.parts_ms == {"endpoint": 0, "asr": 200, "decision": 1, "model": 90, "tts": 60, "output": 49}


def test_the_time_between_an_opener_and_the_content_is_output() -> None:
    found = ledger(TurnMarks(0, GOOD | {Mark.FIRST_CONTENT: 2900}))
    assert (found.onset_ms, found.v2v_ms, found.response_ms) == (400, 900, 740)
    assert found.parts_ms is not None
    assert found.parts_ms[Part.OUTPUT] == 549


def test_a_reply_heard_before_the_end_of_speech_has_no_latency() -> None:
    found = ledger(TurnMarks(0, GOOD | {Mark.SPEECH_END: 2401}))
    assert (found.v2v_ms, found.onset_ms, found.parts_ms) == (None, None, None)
    assert found.response_ms == 240


def test_a_turn_without_reply_has_only_its_endpoint_delay() -> None:
    found = ledger(TurnMarks(0, {Mark.SPEECH_END: 2000, Mark.TURN_END: 2160}))
    assert (found.v2v_ms, found.onset_ms, found.response_ms, found.endpoint_delay_ms) == (
        None,
        None,
        None,
        160,
    )


def test_time_zero_is_a_time() -> None:
    found = ledger(
        TurnMarks(0, {Mark.SPEECH_END: 0, Mark.TURN_END: 0, Mark.FIRST_AUDIO: 0, Mark.FIRST_CONTENT: 0})
    )
    assert (found.v2v_ms, found.onset_ms, found.response_ms, found.endpoint_delay_ms) == (0, 0, 0, 0)


@given(valid_marks())
def test_parts_are_never_negative_and_sum_to_v2v(marks: TurnMarks) -> None:
    found = ledger(marks)
    assert found.v2v_ms is not None
    assert found.onset_ms is not None
    assert found.parts_ms is not None
    assert set(found.parts_ms) == set(Part)
    assert min(found.parts_ms.values()) >= 0
    assert sum(found.parts_ms.values()) == pytest.approx(found.v2v_ms, abs=1e-6)
    assert 0 <= found.onset_ms <= found.v2v_ms


@given(valid_marks())
def test_whole_parts_sum_to_whole_v2v(marks: TurnMarks) -> None:
    found = ledger(marks)
    assert found.v2v_ms is not None
    assert found.parts_ms is not None
    rounded = whole_parts(found.parts_ms, whole_ms(found.v2v_ms))
    assert sum(rounded.values()) == whole_ms(found.v2v_ms)
    assert all(abs(rounded[part] - found.parts_ms[part]) < 1 + 1e-6 and rounded[part] >= 0 for part in Part)


def test_the_largest_remainders_are_rounded_up() -> None:
    parts = dict(zip(Part, (10.4, 20.4, 0.9, 5.3, 0.0, 1.0), strict=True))
    assert list(whole_parts(parts, 38).values()) == [11, 20, 1, 5, 0, 1]


def test_parts_of_another_whole_are_refused() -> None:
    with pytest.raises(ValueError, match=r"parts of 60\.000 ms are not the parts of 90 ms"):
        whole_parts(dict.fromkeys(Part, 10.0), 90)


@pytest.mark.parametrize(("value", "whole"), [(0.5, 1), (1.5, 2), (2.49, 2), (-0.5, 0), (-1.6, -2)])
def test_a_half_goes_up(value: float, whole: int) -> None:
    assert whole_ms(value) == whole


def test_the_slowest_part_is_the_earlier_of_equals() -> None:
    assert slowest_part(dict(zip(Part, (1, 5, 5, 2, 0, 0), strict=True))) is Part.ASR


@pytest.mark.parametrize(
    ("onset", "v2v", "content", "met"),
    [
        (500, 900, None, True),
        (500.1, 500.1, None, False),
        (None, None, None, False),
        (400, 800, 800, True),
        (400, 801, 800, False),
        (400, None, 800, False),
        (400, None, None, True),
    ],
)
def test_budget_met(onset: float | None, v2v: float | None, content: float | None, met: bool) -> None:
    assert budget_met(BudgetConfig(budget_ms=500, content_budget_ms=content), onset, v2v) is met
