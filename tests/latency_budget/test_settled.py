from latency_budget.exchange import CallerTurn, Exchange
from latency_budget.marks import Mark
from latency_budget.settled import settled

TURNS = (CallerTurn(0, 0, 1000), CallerTurn(1, 4000, 5000), CallerTurn(2, 8000, 9000))


def reply(start: float, end: float, *, done: bool) -> Exchange:
    return Exchange(0, {Mark.TURN_END: start - 100, Mark.FIRST_CONTENT: start}, ((start, end),), done=done)


def test_a_turn_is_settled_when_the_next_one_begins() -> None:
    assert [settled(TURNS, (), now) for now in (0, 3999, 4000, 7999, 8000, 1e6)] == [0, 0, 1, 1, 2, 2]


def test_a_reply_that_still_plays_keeps_its_turn_open() -> None:
    assert settled(TURNS, (reply(1300, 4200, done=False),), 4200) == 0
    assert settled(TURNS, (reply(1300, 4200, done=True),), 4200) == 1


def test_a_reply_of_a_later_turn_keeps_no_earlier_one_open() -> None:
    assert settled(TURNS, (reply(5300, 8200, done=False),), 8200) == 1


def test_a_commit_that_may_yet_be_heard_keeps_its_turn_open() -> None:
    waiting = Exchange(0, {Mark.TURN_END: 1100}, done=False)
    assert settled(TURNS, (waiting,), 4100) == 0


def test_an_answer_that_is_done_settles_its_turn_at_once() -> None:
    assert settled(TURNS, (reply(1300, 2000, done=False),), 2000) == 0
    assert settled(TURNS, (reply(1300, 2000, done=True),), 2000) == 1


def test_the_last_turn_is_settled_by_its_answer_only() -> None:
    last = TURNS[:1]
    assert settled(last, (), 1e6) == 0
    assert settled(last, (reply(1300, 2000, done=True),), 2000) == 1


def test_a_cut_in_that_is_done_does_not_settle_its_turn() -> None:
    assert settled(TURNS, (reply(900, 2000, done=True),), 2000) == 0


def test_no_turns_are_no_settled_turns() -> None:
    assert settled((), (reply(900, 2000, done=True),), 2000) == 0
