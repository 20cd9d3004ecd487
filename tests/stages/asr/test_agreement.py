"""Words become stable when two readings in a row agree on them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stages.asr.agreement import Agreement, common_prefix


def after(*texts: str) -> Agreement:
    agreement = Agreement()
    for text in texts:
        agreement = agreement.push(text)
    return agreement


def test_one_reading_makes_nothing_stable():
    assert after("I want to") == Agreement((), ("I", "want", "to"))


def test_what_two_readings_share_is_stable_as_the_newer_one_writes_it():
    assert after("i want two", "I want to go") == Agreement(("I", "want"), ("to", "go"))


def test_case_and_punctuation_do_not_matter():
    assert after("hello, there", "Hello there. My") == Agreement(("Hello", "there."), ("My",))


def test_stable_words_stay_when_a_later_reading_writes_them_differently():
    agreement = after("I want a late", "I want a latte", "I want a latte with")
    assert agreement.stable == ("I", "want", "a", "latte")
    assert agreement.push("Why want a latte with sugar").stable == ("I", "want", "a", "latte", "with")


def test_a_reading_that_misses_or_parts_a_stable_word_is_laid_against_the_rest():
    said = after("my phone number is", "my phone number is five", "my phone number is five five")
    assert said.stable == ("my", "phone", "number", "is", "five")
    assert said.push("phone number is five five one").stable == (*said.stable, "five")
    assert said.push("my telephone number is five five one").stable == (*said.stable, "five")


def test_a_reading_of_nothing_keeps_what_is_stable():
    assert after("yes please", "yes please", "") == Agreement(("yes", "please"), ())


def test_marks_alone_are_words_of_their_own():
    assert common_prefix(["-", "yes"], ["-", "yes"]) == 2
    assert common_prefix(["-"], ["?"]) == 0


@given(st.lists(st.lists(st.sampled_from(["a", "b", "c", "d,"]), max_size=8), max_size=8))
def test_the_stable_text_only_ever_grows(readings: list[list[str]]):
    agreement = Agreement()
    for words in readings:
        newer = agreement.push(" ".join(words))
        assert newer.stable[: len(agreement.stable)] == agreement.stable
        agreement = newer


@given(st.lists(st.sampled_from(["one", "two", "three", "four"]), min_size=1, max_size=20))
def test_a_true_recogniser_is_one_word_behind_at_most(words: list[str]):
    """Readings that only grow: the words of the one before are stable, and nothing is doubled."""
    agreement = Agreement()
    for count in range(1, len(words) + 1):
        agreement = agreement.push(" ".join(words[:count]))
    assert agreement.stable == tuple(words[:-1])
    assert agreement.open == tuple(words[-1:])
