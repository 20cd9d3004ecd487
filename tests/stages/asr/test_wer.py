from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.asr.wer import normalise, word_errors

WORDS = st.lists(st.sampled_from(["a", "b", "c"]), max_size=8)


def test_case_punctuation_and_hyphens_do_not_count():
    assert normalise("I'd like a  double-shot, please!") == ["i'd", "like", "a", "double", "shot", "please"]
    assert normalise("2:30 p.m.") == ["2", "30", "pm"]


@pytest.mark.parametrize(
    ("truth", "heard", "errors"),
    [
        ("a b c", "a b c", 0),
        ("a b c", "a c", 1),
        ("a b", "a b c d", 2),
        ("a b", "c d", 2),
        ("", "a", 1),
        ("a", "", 1),
    ],
)
def test_errors_are_counted_in_words(truth, heard, errors):
    assert word_errors(truth.split(), heard.split()) == errors


@given(WORDS, WORDS)
def test_errors_are_symmetric_and_within_their_bounds(truth, heard):
    errors = word_errors(truth, heard)
    assert errors == word_errors(heard, truth)
    assert abs(len(truth) - len(heard)) <= errors <= max(len(truth), len(heard))
    assert (errors == 0) == (truth == heard)
