"""What is a turn, a hold, a shift."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from agent.calls.model import Role, Segment
from agent.calls.turns import LabelledTurn, caller_turns


def say(role: Role, start_s: float, end_s: float, text: str = "") -> Segment:
    return Segment(role=role, start_s=start_s, end_s=end_s, text=text)


def spans(turns: tuple[LabelledTurn, ...]) -> list[list[tuple[float, float]]]:
    return [[(one.start_s, one.end_s) for one in turn.segments] for turn in turns]


def test_segments_without_the_agent_between_are_one_turn() -> None:
    turns = caller_turns(
        [
            say("agent", 0, 1, "Hello."),
            say("caller", 2, 3, "I have,"),
            say("caller", 4, 5, "um,"),
            say("caller", 6.5, 7, "a question."),
            say("agent", 8, 9, "Go on."),
            say("caller", 10, 11, "When?"),
        ]
    )
    first, second = turns
    assert (first.start_s, first.end_s, first.text) == (2, 7, "I have, um, a question.")
    assert [(hold.start_s, hold.end_s, hold.seconds) for hold in first.holds] == [(3, 4, 1), (5, 6.5, 1.5)]
    assert (first.shift_s, first.agent_next_s, first.said_before) == (1, 8, ("Hello.",))
    assert (second.index, second.shift_s, second.said_before, second.holds) == (1, None, ("Go on.",), ())


def test_a_backchannel_of_the_agent_within_a_segment_splits_nothing() -> None:
    turns = caller_turns(
        [say("caller", 0, 5), say("agent", 2, 2.4, "Mhm."), say("caller", 6, 7), say("agent", 8, 9)]
    )
    assert spans(turns) == [[(0, 5), (6, 7)]]
    assert turns[0].shift_s == 1


def test_agent_speech_that_reaches_into_the_gap_splits() -> None:
    over_the_end = [say("caller", 0, 5), say("agent", 4.5, 5.5), say("caller", 6, 7)]
    over_the_start = [say("caller", 0, 5), say("agent", 5.5, 6.5), say("caller", 6, 7)]
    assert spans(caller_turns(over_the_end)) == [[(0, 5)], [(6, 7)]]
    assert spans(caller_turns(over_the_start)) == [[(0, 5)], [(6, 7)]]
    assert caller_turns(over_the_end)[0].shift_s == -0.5
    # The agent's words were still being said when the turn began: the caller answers what came before.
    assert caller_turns(over_the_start)[1].said_before == ()


def test_less_than_a_tenth_of_a_second_in_the_gap_is_no_evidence() -> None:
    assert len(caller_turns([say("caller", 0, 5), say("agent", 4.5, 5.09), say("caller", 6, 7)])) == 1
    assert len(caller_turns([say("caller", 0, 5), say("agent", 4.5, 5.1), say("caller", 6, 7)])) == 2


def test_a_turn_wholly_inside_agent_speech_is_a_backchannel() -> None:
    turns = caller_turns([say("agent", 0, 9, "A long story."), say("caller", 3, 3.4), say("caller", 10, 11)])
    assert [turn.backchannel for turn in turns] == [True, False]
    assert [turn.said_before for turn in turns] == [(), ("A long story.",)]


def test_no_caller_no_turns() -> None:
    assert caller_turns([say("agent", 0, 1)]) == caller_turns([]) == ()


@st.composite
def calls(draw: st.DrawFn) -> list[Segment]:
    """Both channels on their own: segments of a party never overlap each other, but those of the other."""
    found: list[Segment] = []
    for role in ("caller", "agent"):
        cursor = 0
        for number in range(draw(st.integers(0, 8))):
            start = cursor + draw(st.integers(1, 300))
            cursor = start + draw(st.integers(1, 300))
            found.append(say(role, start / 100, cursor / 100, f"{role}{number}"))
    return sorted(found, key=lambda one: one.start_s)


@given(calls())
def test_every_caller_segment_is_in_one_turn_in_order(segments: list[Segment]) -> None:
    turns = caller_turns(segments)
    assert [one for turn in turns for one in turn.segments] == [
        one for one in segments if one.role == "caller"
    ]
    assert [turn.index for turn in turns] == list(range(len(turns)))
    assert all(hold.seconds > 0 for turn in turns for hold in turn.holds)


@given(calls())
def test_the_agent_is_quoted_once_in_order_and_never_ahead_of_time(segments: list[Segment]) -> None:
    turns = caller_turns(segments)
    quoted = [text for turn in turns for text in turn.said_before]
    ended = {one.text: one.end_s for one in segments if one.role == "agent"}
    assert quoted == list(ended)[: len(quoted)]
    assert all(ended[text] <= turn.start_s for turn in turns for text in turn.said_before)


@given(calls())
def test_between_two_turns_the_agent_speaks(segments: list[Segment]) -> None:
    turns = caller_turns(segments)
    agent = [one for one in segments if one.role == "agent"]
    for one, two in pairwise(turns):
        assert any(word.start_s < two.start_s and word.end_s > one.end_s for word in agent)
