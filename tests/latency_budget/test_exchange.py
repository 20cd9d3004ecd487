import math

import pytest

from latency_budget.exchange import CallerTurn, Exchange, Span
from latency_budget.marks import Mark


def test_the_voiced_stretches_are_the_turn_without_its_holds() -> None:
    turn = CallerTurn(0, 100, 1000, holds=((300, 400), (600, 900)))
    assert list(turn.voiced()) == [(100, 300), (400, 600), (900, 1000)]


@pytest.mark.parametrize(
    ("start", "end", "holds"),
    [
        (100, 100, ()),
        (200, 100, ()),
        (math.nan, 100, ()),
        (0, math.inf, ()),
        (0, 100, ((90, 110),)),
        (50, 100, ((40, 60),)),
        (0, 100, ((60, 70), (10, 20))),
        (0, 100, ((10, 30), (20, 40))),
    ],
)
def test_impossible_turns_are_refused(start: float, end: float, holds: tuple[Span, ...]) -> None:
    with pytest.raises(ValueError, match="caller turn 0"):
        CallerTurn(0, start, end, holds=holds)


def test_an_exchange_needs_its_commit_and_no_derived_mark() -> None:
    with pytest.raises(ValueError, match="exchange 4 has no turn_end"):
        Exchange(4, {})
    with pytest.raises(ValueError, match="exchange 4 carries derived marks: first_audio, speech_end"):
        Exchange(4, {Mark.TURN_END: 1, Mark.SPEECH_END: 0, Mark.FIRST_AUDIO: 2})
    with pytest.raises(ValueError, match="first_content but nothing was audible"):
        Exchange(4, {Mark.TURN_END: 1, Mark.FIRST_CONTENT: 2})


def test_audible_spans_stand_in_order() -> None:
    with pytest.raises(ValueError, match="audible spans of exchange 4"):
        Exchange(4, {Mark.TURN_END: 1}, ((50, 60), (10, 20)))


def test_overlap_counts_what_both_can_be_heard_in() -> None:
    turn = CallerTurn(0, 100, 1000, holds=((300, 600),))
    found = Exchange(0, {Mark.TURN_END: 50}, ((0, 150), (250, 650), (950, 2000)))
    assert found.overlap_ms(turn) == 50 + 50 + 50 + 50
