from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.contract import Message
from stages.council.fit import common_prefix, fit
from stages.errors import InputError

TOKENS = st.lists(st.integers(0, 2), max_size=12)


def talk(turns: int, words: int = 1) -> list[Message]:
    roles = ("user", "assistant")
    said = [Message(role=roles[at % 2], content=" ".join([f"t{at}"] * words)) for at in range(turns)]
    return [Message(role="system", content="be brief"), *said]


def words_of(messages) -> int:
    return sum(len(message["content"].split()) for message in messages)


def test_what_fits_is_left_alone():
    assert fit(talk(5), words_of, 7) == talk(5)


def test_the_oldest_go_in_steps_so_that_the_cut_stays_for_some_turns():
    kept = [len(fit(talk(turns), words_of, 22)) for turns in range(19, 31, 2)]
    assert kept == [20, 14, 16, 18, 20, 14]


def test_the_system_message_and_the_last_stay_in_any_case():
    tight = fit(talk(5), words_of, 3)
    assert [message["content"] for message in tight] == ["be brief", "t4"]


def test_what_can_never_fit_is_refused():
    with pytest.raises(InputError, match="more than the 2 tokens"):
        fit(talk(5), words_of, 2)
    with pytest.raises(InputError, match="no message"):
        fit([], words_of, 100)


@given(st.integers(1, 40), st.integers(1, 4), st.integers(6, 100))
def test_the_rest_fits_begins_with_the_caller_and_ends_as_it_did(turns, words, limit):
    messages = talk(turns, words)
    kept = fit(messages, words_of, limit)
    assert words_of(kept) <= limit
    assert kept[0] == messages[0]
    assert kept[1:] == messages[-len(kept[1:]) :]
    assert kept[1]["role"] == "user" or len(kept) == 2


@given(TOKENS, TOKENS)
def test_the_common_prefix_is_common_and_longest(one, other):
    length = common_prefix(one, other)
    assert one[:length] == other[:length]
    assert one[: length + 1] != other[: length + 1] or length == len(one) == len(other)
