"""A reply that repeats itself is ended before it does."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stages.council.repeats import RepeatFilter

SORRY = "I'm sorry for the inconvenience."


def passed(text: str, size: int) -> tuple[str, bool]:
    one = RepeatFilter()
    said = "".join(one.feed(text[at : at + size]) for at in range(0, len(text), size))
    return said + ("" if one.stopped else one.finish()), one.stopped


@given(st.integers(1, 12))
def test_a_sentence_is_said_once_however_it_comes(size: int) -> None:
    text = f"Thank you for calling. {SORRY} {SORRY} {SORRY}"
    said, stopped = passed(text, size)
    assert said.rstrip() == f"Thank you for calling. {SORRY}"
    assert stopped


@given(st.integers(1, 12))
def test_a_sentence_that_only_begins_alike_is_said_whole(size: int) -> None:
    text = "You can come in today. You can come in tomorrow, too. You can come."
    assert passed(text, size) == (text, False)


@given(st.integers(1, 12))
def test_short_answers_may_come_again(size: int) -> None:
    text = "Yes. We are open. Yes. Twice. Yes."
    assert passed(text, size) == (text, False)


def test_a_repetition_without_a_full_stop_at_the_end_is_dropped() -> None:
    said, _ = passed("We are open today. We are open today", 4)
    assert said == "We are open today. "


def test_new_text_is_passed_on_at_once() -> None:
    one = RepeatFilter()
    assert one.feed("We are") == "We are"
    assert one.feed(" open. ") == " open. "
    assert one.feed("The") == "The"
    assert one.feed(" branch") == " branch"


@given(st.text(alphabet="ab .!?1'", max_size=60), st.integers(1, 7))
def test_what_is_passed_on_is_a_beginning_of_the_text(text: str, size: int) -> None:
    assert text.startswith(passed(text, size)[0])


def test_amounts_with_points_are_no_sentence_ends() -> None:
    text = "It costs 2.50 dollars a day. It costs 2.75 dollars a week."
    assert passed(text, 1) == (text, False)
