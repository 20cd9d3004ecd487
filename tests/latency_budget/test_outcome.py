import pytest

from latency_budget.exchange import CallerTurn, Exchange, Span
from latency_budget.ledger import Part
from latency_budget.marks import Mark, MarkOrderError
from latency_budget.outcome import Matching, Outcome, match

FIRST = CallerTurn(0, 1000, 3000, holds=((1800, 2400),))
SECOND = CallerTurn(1, 8000, 9000)


def exchange(number: int, turn_end: float, *audible: Span, **more: object) -> Exchange:
    marks = {Mark.TURN_END: turn_end}
    if audible:
        marks[Mark.FIRST_CONTENT] = audible[0][0]
    return Exchange(number, marks, audible, **more)  # type: ignore[arg-type]


def only(*exchanges: Exchange) -> Outcome:
    """The outcome of the first of two turns."""
    return match((FIRST, SECOND), exchanges).outcomes[0]


def reasons(found: Matching) -> list[tuple[int, str]]:
    return [(one.exchange.id, one.reason) for one in found.unmatched]


def test_an_answer_after_the_turn() -> None:
    found = only(exchange(0, 3200, (3400, 4000)))
    assert found.answer is not None
    assert found.numbers is not None
    assert (found.answer.id, found.numbers.v2v_ms, found.numbers.onset_ms) == (0, 400, 400)
    assert (found.cut_ins, found.missed, found.overtaken, found.interrupted) == ((), False, False, False)
    assert found.wait_ms == 400


def test_an_answer_at_the_very_end_is_no_cut_in() -> None:
    found = only(exchange(0, 2900, (3000, 4000)))
    assert found.numbers is not None
    assert (found.cut_ins, found.numbers.v2v_ms, found.numbers.endpoint_delay_ms) == ((), 0, -100)


def test_a_commit_inside_the_turn_that_is_heard_after_it_is_an_answer() -> None:
    found = only(exchange(0, 2700, (3100, 4000)))
    assert found.numbers is not None
    assert (found.numbers.v2v_ms, found.numbers.endpoint_delay_ms) == (100, -300)
    assert found.numbers.parts_ms is not None
    assert found.numbers.parts_ms[Part.ENDPOINT] == 0
    assert found.cut_ins == ()


@pytest.mark.parametrize(
    ("span", "overlap", "damaging"),
    [
        ((1900, 2300), 0, False),
        ((2300, 2550), 150, False),
        ((2300, 2551), 151, True),
        ((1700, 2500), 200, True),
        ((2990, 3500), 10, False),
    ],
)
def test_a_cut_in_is_damaging_by_voiced_overlap_only(span: Span, overlap: float, damaging: bool) -> None:
    """The hold from 1800 to 2400 is part of the turn, but the caller is not audible in it."""
    found = only(exchange(0, 1500, span))
    assert [(cut_in.at_ms, cut_in.overlap_ms, cut_in.damaging) for cut_in in found.cut_ins] == [
        (span[0], overlap, damaging)
    ]
    assert found.damaging is damaging


def test_lost_words_make_any_cut_in_damaging() -> None:
    assert only(exchange(0, 1850, (1900, 2300), words_lost=True)).damaging


def test_a_cut_in_that_goes_on_is_a_reply_without_latency() -> None:
    found = only(exchange(0, 2500, (2900, 4000)))
    assert found.answer is None
    assert found.source is not None
    assert found.numbers is not None
    assert (found.numbers.v2v_ms, found.numbers.onset_ms, found.numbers.parts_ms) == (None, None, None)
    assert (found.source.id, found.missed, found.overtaken, found.wait_ms) == (0, False, False, 0)


def test_a_cut_in_that_stopped_before_the_end_leaves_the_turn_unanswered() -> None:
    found = only(exchange(0, 1500, (1900, 2300)))
    assert (len(found.cut_ins), found.missed, found.overtaken) == (1, True, True)


def test_a_turn_with_a_cut_in_and_an_answer_has_the_answers_latency() -> None:
    found = only(exchange(0, 1500, (1900, 2300)), exchange(1, 3200, (3500, 4000)))
    assert found.answer is not None
    assert found.numbers is not None
    assert (len(found.cut_ins), found.answer.id, found.numbers.v2v_ms, found.missed) == (1, 1, 500, False)


def test_a_late_reply_to_the_turn_before_is_a_cut_in_and_no_answer() -> None:
    """Committed for the first turn, audible inside the second."""
    found = match((FIRST, SECOND), (exchange(0, 3200, (8200, 9500)),))
    first, second = found.outcomes
    assert (first.overtaken, first.missed, first.cut_ins, first.source) == (True, True, (), None)
    assert [(cut_in.exchange.id, cut_in.overlap_ms) for cut_in in second.cut_ins] == [(0, 800)]
    assert (second.source, second.missed, second.damaging) == (None, True, True)
    assert found.unmatched == ()


def test_a_reply_that_still_plays_is_interrupted_and_no_cut_in() -> None:
    first, second = match((FIRST, SECOND), (exchange(0, 3200, (3400, 8600)),)).outcomes
    assert (first.interrupted, first.missed) == (True, False)
    assert first.numbers is not None
    assert first.numbers.v2v_ms == 400
    assert (second.cut_ins, second.damaging, second.missed) == ((), False, True)


def test_a_reply_that_goes_on_after_a_pause_inside_the_next_turn_is_no_cut_in() -> None:
    first, second = match((FIRST, SECOND), (exchange(0, 3200, (3400, 7900), (8500, 9500)),)).outcomes
    assert (first.interrupted, first.stalls_ms, second.cut_ins) == (True, (600,), ())


def test_the_agent_yielded_before_the_label_began() -> None:
    assert only(exchange(0, 3200, (3400, 7990), interrupted_at_ms=7980)).interrupted


def test_a_reply_committed_before_the_turn_but_heard_after_it_is_stale() -> None:
    found = match((FIRST, SECOND), (exchange(0, 3200, (9100, 9900)), exchange(1, 9200, (10_500, 11_000))))
    first, second = found.outcomes
    assert reasons(found) == [(0, "stale")]
    assert (first.overtaken, first.missed) == (True, True)
    assert second.answer is not None
    assert second.answer.id == 1


@pytest.mark.parametrize(("next_start", "missed"), [(3700, False), (5000, False), (5001, True)])
def test_overtaken_is_missed_only_after_two_seconds(next_start: float, missed: bool) -> None:
    found = match((FIRST, CallerTurn(1, next_start, 9000)), ()).outcomes[0]
    assert (found.overtaken, found.missed, found.wait_ms) == (True, missed, next_start - 3000)


@pytest.mark.parametrize(("at", "missed"), [(5000, False), (5001, True)])
def test_a_late_answer_keeps_its_latency_and_is_missed(at: float, missed: bool) -> None:
    found = only(exchange(0, 3200, (at, 6000)))
    assert found.numbers is not None
    assert (found.missed, found.overtaken, found.numbers.v2v_ms) == (missed, False, at - 3000)


def test_the_last_turn_without_answer_is_missed_and_not_overtaken() -> None:
    found = match((FIRST,), ()).outcomes[0]
    assert (found.missed, found.overtaken, found.wait_ms) == (True, False, float("inf"))


def test_an_opener_alone_is_heard_but_answers_nothing() -> None:
    found = only(Exchange(0, {Mark.TURN_END: 3200}, ((3400, 3700),)))
    assert found.numbers is not None
    assert (found.missed, found.numbers.onset_ms, found.numbers.v2v_ms) == (False, 400, None)


def test_exchanges_that_belong_to_no_turn() -> None:
    found = match(
        (FIRST, SECOND),
        (
            exchange(0, 200, (400, 700)),
            exchange(1, 300),
            exchange(2, 3200, (3400, 4000)),
            exchange(3, 3300),
            exchange(4, 6000, (6300, 6800)),
        ),
    )
    assert reasons(found) == [(1, "no_turn"), (0, "no_turn"), (3, "silent"), (4, "already_answered")]


def test_a_silent_commit_explains_a_turn_that_has_nothing_else() -> None:
    found = match((FIRST, SECOND), (exchange(0, 3200, heard="hello"), exchange(1, 3300, heard="hello there")))
    first = found.outcomes[0]
    assert first.source is not None
    assert (first.source.heard, first.missed, first.overtaken) == ("hello there", True, True)
    assert first.numbers is not None
    assert first.numbers.endpoint_delay_ms == 300
    assert found.unmatched == ()


def test_a_late_reply_to_older_words_does_not_hide_the_silent_commit() -> None:
    found = match((FIRST, SECOND), (exchange(0, 3200, (8200, 8400)), exchange(1, 9200, heard="mine")))
    assert found.outcomes[1].source is not None
    assert found.outcomes[1].source.heard == "mine"


def test_stalls_are_silences_over_250_ms_inside_the_reply() -> None:
    found = only(exchange(0, 3200, (3400, 3600), (3850, 4000), (4251, 4500), (4751, 5000)))
    assert found.stalls_ms == (251, 251)


def test_an_impossible_order_is_kept_as_a_fault_and_the_turn_stays() -> None:
    broken = Exchange(0, {Mark.TURN_END: 3200, Mark.TTS_FIRST_CHUNK: 3500}, ((3400, 4000),))
    found = only(broken)
    assert isinstance(found.fault, MarkOrderError)
    assert (found.fault.earlier, found.fault.later) == (Mark.TTS_FIRST_CHUNK, Mark.FIRST_AUDIO)
    assert (found.marks, found.numbers, found.missed) == (None, None, False)


def test_a_transcript_from_before_the_turn_is_a_fault() -> None:
    """A stale mark of the turn before."""
    found = only(Exchange(0, {Mark.TURN_END: 3200, Mark.ASR_FINAL: 900}, ((3400, 4000),)))
    assert found.fault is not None
    assert found.fault.later is Mark.ASR_FINAL


def test_a_bridge_may_come_before_the_reply_is_made() -> None:
    marks = {Mark.TURN_END: 3200, Mark.TTS_FIRST_CHUNK: 3900, Mark.FIRST_CONTENT: 4000}
    found = only(Exchange(0, marks, ((3300, 3800), (4000, 5000)), bridge="One moment."))
    assert found.numbers is not None
    assert (found.numbers.onset_ms, found.numbers.v2v_ms) == (300, 1000)


def test_turns_that_overlap_are_refused() -> None:
    with pytest.raises(ValueError, match="caller turns 0 and 1 overlap or run backwards"):
        match((FIRST, CallerTurn(1, 2900, 4000)), ())


def test_two_exchanges_with_one_id_are_refused() -> None:
    with pytest.raises(ValueError, match="share an id"):
        match((FIRST,), (exchange(0, 1), exchange(0, 2)))


def test_no_turns_make_no_rows() -> None:
    found = match((), (exchange(0, 3200, (3400, 4000)),))
    assert (found.outcomes, reasons(found)) == ((), [(0, "no_turn")])
