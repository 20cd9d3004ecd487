"""What is made for the ear, and what is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.council.ear import first_sentences, unfit


@pytest.mark.parametrize(
    ("reply", "faults"),
    [
        ("We open at nine.", ()),
        ("Yes. It costs 4 dollars a month.", ()),
        ('Choose "forgot password" in the app, then "go".', ()),
        ("It costs 3.5 percent.", ()),
        ("", ("empty",)),
        (" ... ", ("empty",)),
        ("One. Two. Three.", ("long",)),
        ("word " * 41 + "end.", ("long",)),
        ("- one\n- two.", ("list",)),
        ("1. We open at nine.", ("list",)),
        ("We **open** at nine.", ("marks",)),
        ("See https://bank.example for it.", ("marks",)),
        ("We open at", ("unfinished",)),
    ],
)
def test_exact(reply: str, faults: tuple[str, ...]) -> None:
    assert unfit(reply) == faults


@given(st.text())
def test_first_sentences_are_the_beginning_on_one_line(text: str) -> None:
    kept = first_sentences(text)
    assert " ".join(text.split()).startswith(kept)
    assert "long" not in unfit(kept) or len(kept.split()) > 40


def test_a_reply_that_runs_on_is_cut_after_two_sentences() -> None:
    assert first_sentences("We open at nine. We close at five. Anything else?") == (
        "We open at nine. We close at five."
    )
