from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from stages.council.replies import Replies
from stages.council.sample import pick

PIECES = st.lists(st.sampled_from(["a", " b", "ö", "€ ", "."]), min_size=1, max_size=8)


def known(*pieces: str) -> Replies:
    replies = Replies()
    replies.remember(range(len(pieces)), [piece.encode() for piece in pieces])
    return replies


def test_a_whole_reply_is_its_tokens():
    assert known(" It", " is", " nine.").recall("It is nine.") == ([0, 1, 2], "")


def test_blanks_behind_a_reply_do_not_matter():
    assert known("Nine", ".", " \n").recall("Nine.") == ([0, 1, 2], "")


def test_an_interrupted_reply_is_the_tokens_that_were_said_and_a_rest():
    assert known(" It", " is", " nine.").recall("It is ni") == ([0, 1], " ni")
    assert known("Hel", "lo").recall("He") == ([], "He")


def test_other_text_is_not_recalled():
    assert known("It", " is").recall("It was") == ([], "It was")
    assert known("It").recall("") == ([], "")
    assert Replies().recall("It") == ([], "It")


def test_old_replies_are_forgotten():
    replies = Replies()
    for at in range(70):
        replies.remember([at], [f"reply {at}".encode()])
    assert replies.recall("reply 0") == ([], "reply 0")
    assert replies.recall("reply 69") == ([69], "")


@given(PIECES, st.integers(0, 20))
def test_tokens_and_rest_are_always_the_text(pieces, length):
    said = "".join(pieces)
    text = said[:length]
    tokens, rest = known(*pieces).recall(text)
    again = "".join(pieces[token] for token in tokens) + rest
    assert again.strip() == text.strip() or (not rest and again.strip() == said.strip() == text.strip())


def test_sampling_is_greedy_at_zero_and_seeded_above():
    logits = np.array([0.0, 3.0, 1.0], dtype=np.float32)
    assert pick(logits, 0.0, np.random.default_rng(0)) == 1
    drawn = [pick(logits, 1.0, np.random.default_rng(seed)) for seed in range(200)]
    assert drawn == [pick(logits, 1.0, np.random.default_rng(seed)) for seed in range(200)]
    assert set(drawn) == {0, 1, 2}
    assert drawn.count(1) > 140
