"""Whatever the agent does: one row a turn, each exchange counted once, no negative latency, finished stays finished."""

from collections import Counter
from dataclasses import replace
from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from latency_budget.exchange import CallerTurn, Exchange
from latency_budget.marks import Mark
from latency_budget.outcome import Outcome, match
from latency_budget.settled import settled

lengths = st.floats(1, 3000, allow_nan=False)


@st.composite
def caller_turns(draw: st.DrawFn) -> tuple[CallerTurn, ...]:
    count = draw(st.integers(0, 5))
    edges = list(accumulate(draw(st.lists(lengths, min_size=2 * count, max_size=2 * count))))
    return tuple(CallerTurn(index, edges[2 * index], edges[2 * index + 1]) for index in range(count))


@st.composite
def exchanges(draw: st.DrawFn) -> tuple[Exchange, ...]:
    found = []
    for number in range(draw(st.integers(0, 6))):
        turn_end = draw(st.floats(0, 20_000, allow_nan=False))
        spans = draw(st.integers(0, 3))
        steps = draw(st.lists(lengths, min_size=2 * spans, max_size=2 * spans))
        edges = list(accumulate([turn_end, *steps]))[1:]
        marks = {Mark.TURN_END: turn_end}
        if spans and draw(st.booleans()):
            marks[Mark.FIRST_CONTENT] = draw(st.sampled_from(edges))
        if draw(st.booleans()):
            marks[Mark.ASR_FINAL] = draw(st.floats(0, 25_000, allow_nan=False))
        audible = tuple((edges[2 * index], edges[2 * index + 1]) for index in range(spans))
        found.append(Exchange(number, marks, audible, words_lost=draw(st.booleans())))
    return tuple(found)


def used(outcome: Outcome) -> list[int]:
    answer = [] if outcome.answer is None else [outcome.answer.id]
    return [*answer, *(one.exchange.id for one in outcome.cut_ins), *(one.id for one in outcome.silent)]


def comparable(outcome: Outcome) -> tuple[Outcome, str]:
    """Two errors are never equal; their words are."""
    return replace(outcome, fault=None), str(outcome.fault)


@given(caller_turns(), exchanges())
def test_every_turn_has_one_row_and_every_exchange_one_place(
    turns: tuple[CallerTurn, ...], done: tuple[Exchange, ...]
) -> None:
    found = match(turns, done)
    assert [outcome.turn for outcome in found.outcomes] == list(turns)
    places = Counter(number for outcome in found.outcomes for number in used(outcome))
    places.update(one.exchange.id for one in found.unmatched)
    assert places == Counter(one.id for one in done)


@given(caller_turns(), exchanges())
def test_no_latency_is_negative_and_flags_agree(
    turns: tuple[CallerTurn, ...], done: tuple[Exchange, ...]
) -> None:
    for outcome in match(turns, done).outcomes:
        assert (outcome.numbers is None) == (outcome.fault is not None)
        assert not outcome.damaging or outcome.cut_ins
        assert outcome.wait_ms >= 0
        if outcome.answer is not None:
            assert not outcome.overtaken
        if outcome.numbers is None:
            continue
        for value in (outcome.numbers.v2v_ms, outcome.numbers.onset_ms, outcome.numbers.response_ms):
            assert value is None or value >= 0
        if outcome.answer is None:
            assert outcome.numbers.v2v_ms is None
            assert outcome.numbers.onset_ms is None


@given(caller_turns(), exchanges(), st.floats(0, 25_000))
def test_what_is_settled_does_not_change(
    turns: tuple[CallerTurn, ...], done: tuple[Exchange, ...], now: float
) -> None:
    """The call as it stands at ``now``, seen again when it is over."""
    so_far = []
    for one in done:
        if one.turn_end_ms > now:
            continue
        heard = tuple((start, min(end, now)) for start, end in one.audible if start < now)
        running = bool(one.audible) and one.audible[-1][1] > now
        marks = {mark: at for mark, at in one.marks.items() if mark is not Mark.FIRST_CONTENT or heard}
        so_far.append(replace(one, marks=marks, audible=heard, done=not running))
    count = settled(turns, so_far, now)
    then, finally_ = match(turns, so_far).outcomes[:count], match(turns, done).outcomes[:count]
    assert [comparable(one) for one in then] == [comparable(one) for one in finally_]
