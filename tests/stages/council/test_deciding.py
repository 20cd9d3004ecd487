"""Choosing between candidates: exact winners, who is left out and why, and what holds for any candidates."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.contract import Message
from stages.council.deciding.candidate import Candidate, Decision, LeftOut
from stages.council.deciding.cascade import cascade
from stages.council.deciding.constrained import Allowed, Option, choose
from stages.council.deciding.direct import direct
from stages.council.deciding.rank import confidence, rank
from stages.council.deciding.refine import refine_prompt
from stages.council.deciding.similarity import similarity
from stages.council.deciding.vote import vote
from stages.council.facts import FactIndex

KNOWN = ("It costs 4 dollars a month.", "It is free with 500 dollars.", "We open at nine.")
SAFE = "A colleague can call you back."

candidates = st.lists(
    st.builds(
        Candidate,
        text=st.sampled_from(["It costs 4 dollars.", "It costs 5 dollars.", "", "We open at nine.", "- a"]),
        logprobs=st.lists(st.floats(-20, 0), max_size=5).map(tuple),
        fault=st.sampled_from(["", "", "late"]),
    ),
    max_size=6,
)


def test_the_vote_goes_to_the_answer_most_like_the_others() -> None:
    texts = ["It is free with 500 dollars.", "It costs 4 dollars.", "It costs four dollars a month."]
    decision = vote([Candidate(text) for text in texts], KNOWN, SAFE)
    assert (decision.text, decision.index) == ("It costs 4 dollars.", 1)
    assert decision.left_out == ()


def test_a_majority_for_an_invented_value_loses() -> None:
    texts = ["It costs 9 dollars.", "It costs 9 dollars a month.", "It costs 4 dollars."]
    decision = vote([Candidate(text) for text in texts], KNOWN, SAFE)
    assert decision.index == 2
    assert decision.left_out == (
        LeftOut(0, "not in the facts: 9 dollar"),
        LeftOut(1, "not in the facts: 9 dollar"),
    )


def test_rank_takes_the_answer_whose_weakest_words_are_the_surest() -> None:
    steady = Candidate("It costs 4 dollars.", (-0.5,) * 10)
    lucky = Candidate("We open at nine.", (0.0,) * 8 + (-3.0, -3.0))
    assert rank([lucky, steady], KNOWN, SAFE).index == 1
    assert confidence(steady) == -0.5
    assert confidence(Candidate("x", (-1.0, -2.0)), 0.25) == -1.75
    assert confidence(Candidate("x")) == -math.inf


@pytest.mark.parametrize("decide", [vote, rank])
def test_failed_empty_and_late_members_are_left_out_and_none_left_is_the_safe_sentence(decide) -> None:  # type: ignore[no-untyped-def]
    members = [
        Candidate("", seat="a"),
        Candidate("It costs 4 dollars.", seat="b", fault="late"),
        Candidate("- x."),
    ]
    decision = decide(members, KNOWN, SAFE)
    assert decision == Decision(
        SAFE,
        None,
        0.0,
        (LeftOut(0, "not for the ear: empty"), LeftOut(1, "late"), LeftOut(2, "not for the ear: list")),
    )
    assert decide([], KNOWN, SAFE) == Decision(SAFE, None, 0.0, ())


@pytest.mark.parametrize("decide", [vote, rank])
@given(members=candidates)
def test_each_member_wins_or_is_left_out_or_was_worse(decide, members: list[Candidate]) -> None:  # type: ignore[no-untyped-def]
    decision = decide(members, KNOWN, SAFE)
    left = {one.index for one in decision.left_out}
    if decision.index is None:
        assert decision.text == SAFE
        assert left == set(range(len(members)))
    else:
        assert decision.text == members[decision.index].text
        assert decision.index not in left


@given(st.text(), st.text())
def test_similarity_is_symmetric_and_one_for_equals(one: str, other: str) -> None:
    assert similarity(one, one) == 1.0
    assert similarity(one, other) == similarity(other, one)
    assert 0.0 <= similarity(one, other) <= 1.0


def test_a_differing_number_weighs_more_than_a_differing_word() -> None:
    base = "The fee costs 4 dollars"
    assert similarity(base, "The charge costs 4 dollars") > similarity(base, "The fee costs 5 dollars")
    assert similarity(base, "the fee costs $4") == 1.0


def test_the_cascade_stops_at_the_first_sure_answer_and_asks_on_else() -> None:
    sure, unsure = Candidate("We open at nine.", (-0.1,)), Candidate("It costs 4 dollars.", (-2.0,))
    gates = [-0.5, -1.0]
    first = cascade([sure], gates, KNOWN, SAFE)
    assert first is not None
    assert first.index == 0
    assert cascade([unsure], gates, KNOWN, SAFE) is None
    assert cascade([Candidate("", fault="failed")], gates, KNOWN, SAFE) is None
    last = cascade([unsure, Candidate("We open at nine.", (-1.5,))], gates, KNOWN, SAFE)
    assert last is not None
    assert last.index == 1
    none = cascade([Candidate(""), Candidate("")], gates, KNOWN, SAFE)
    assert none is not None
    assert none.text == SAFE


def test_the_refining_prompt_keeps_its_beginning_and_drops_doubles_and_failures() -> None:
    messages: list[Message] = [{"role": "system", "content": "S"}, {"role": "user", "content": "How much?"}]
    drafts = [Candidate("4 dollars."), Candidate(" 4 dollars. "), Candidate("x", fault="late"), Candidate("")]
    assert refine_prompt(messages, drafts) == [
        {"role": "system", "content": "S"},
        {
            "role": "user",
            "content": "How much?\nDraft: 4 dollars.\n"
            "Some drafts are wrong. Give the one right answer, in one sentence.",
        },
    ]
    assert refine_prompt(messages, drafts[2:]) == messages
    with pytest.raises(ValueError, match="no message"):
        refine_prompt([], drafts)


def test_the_choice_weighs_fit_and_mean_log_probability() -> None:
    options = [Option("a", 2.0, (-1.0, -3.0)), Option("b", 0.0, (-0.5,)), Option("c", 2.0)]
    assert choose(options) == 2
    assert choose(options[:2]) == 0
    assert choose(options[:2], fit_weight=0.0) == 1
    assert choose([Option("a"), Option("b")]) == 0
    with pytest.raises(ValueError, match="no reply"):
        choose([])


def test_allowed_replies_narrow_the_next_token() -> None:
    allowed = Allowed([(5, 6), (5, 7, 8), (5,)], end=99)
    assert allowed.next_tokens([]) == [5]
    assert allowed.next_tokens([5]) == [6, 7, 99]
    assert allowed.next_tokens([5, 7]) == [8]
    with pytest.raises(ValueError, match="begins no allowed reply"):
        allowed.next_tokens([6])
    with pytest.raises(ValueError, match="no reply"):
        Allowed([], end=99)


@given(st.lists(st.lists(st.integers(0, 3), max_size=4), min_size=1), st.randoms())
def test_following_allowed_tokens_ends_at_an_allowed_reply(replies, random) -> None:  # type: ignore[no-untyped-def]
    allowed, said = Allowed(replies, end=99), []
    while (token := random.choice(allowed.next_tokens(said))) != 99:
        said.append(token)
    assert said in replies


def test_the_fact_is_spoken_only_where_it_fits() -> None:
    index = FactIndex(KNOWN)
    asked = index.scores("How much does it cost a month?")
    decision = direct(index, "How much does it cost a month?", (), SAFE, lowest_fit=max(asked))
    assert decision == Decision(KNOWN[0], 0, max(asked))
    above = direct(index, "How much does it cost a month?", (), SAFE, lowest_fit=max(asked) + 0.01)
    assert above == Decision(SAFE, None, 0.0)
    assert direct(FactIndex([]), "Hello?", (), SAFE) == Decision(SAFE, None, 0.0)
