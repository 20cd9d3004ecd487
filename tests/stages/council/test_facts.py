"""The facts that matter are found, also through plurals, errors of recognition and what was said before."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stages.council.facts import FactIndex, stem

FACTS = (
    "We are open from nine to five on weekdays.",
    "We are open from ten to two on Saturdays.",
    "A wire transfer abroad costs 45 dollars.",
    "Stopping a check costs 30 dollars.",
    "The branch is at 12 Market Street.",
)
INDEX = FactIndex(FACTS, {"branch": ["where are you", "location"]})


def test_the_best_fact_comes_first() -> None:
    assert INDEX.best("How much is a transfer abroad?", 1) == [FACTS[2]]
    assert INDEX.best("can you stop two checks", 1) == [FACTS[3]]


def test_words_that_were_heard_in_parts_still_match() -> None:
    assert INDEX.best("a wire trance fur a broad", 1) == [FACTS[2]]


def test_a_synonym_finds_the_fact_that_holds_its_word() -> None:
    assert INDEX.best("What is your location?", 1) == [FACTS[4]]
    assert FactIndex(FACTS).best("What is your location?", 1) != [FACTS[4]]


def test_what_was_said_before_decides_where_the_question_does_not() -> None:
    assert INDEX.best("and on Saturdays?", 1, ["When are you open on weekdays?"]) == [FACTS[1]]
    assert INDEX.best("How much?", 1, ["I want to stop a check."]) == [FACTS[3]]


def test_nothing_shared_gives_nothing() -> None:
    assert INDEX.best("xyzzy", 5) == []
    assert INDEX.scores("xyzzy") == [0.0] * 5
    assert FactIndex([]).best("open", 3) == []


def test_stems_keep_four_letters() -> None:
    assert [stem(word) for word in ("stopping", "monthly", "opened", "red", "transfer")] == [
        "stopp", "month", "open", "red", "transf",
    ]  # fmt: skip


@given(st.text(), st.integers(0, 8), st.lists(st.text(), max_size=2))
def test_any_question_gives_known_facts_without_doubles(text: str, count: int, before: list[str]) -> None:
    found = INDEX.best(text, count, before)
    assert len(found) <= count
    assert len(set(found)) == len(found)
    assert set(found) <= set(FACTS)
    assert all(score >= 0 for score in INDEX.scores(text, before))
