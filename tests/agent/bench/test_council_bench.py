"""The verdicts, the gain with its interval, the kept answers and the rows, with scripted members."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agent.bench.council import compare, gain, questions
from agent.bench.council_cache import AnswerCache, digest
from agent.bench.council_check import Verdict, check
from agent.bench.council_member import Answers, Said
from agent.bench.council_tasks import Task, load_tasks
from agent.bench.council_ways import K, ways
from agent.persona import Persona

PERSONA = Persona(
    name="Kim",
    role="the voice of a bakery.",
    style="Be brief.",
    greeting="Hello?",
    safe_sentence="I am not sure, but we can call you back.",
    again_sentence="Pardon?",
    facts=("We open at six.", "Bread costs 2 dollars."),
)


def task(**given: Any) -> Task:
    return Task.model_validate({"id": "bank-d01", "kind": "plain", "ask": "How much is bread?"} | given)


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("It is two dollars.", Verdict(True, False)),
        ("It is $2.", Verdict(True, False)),
        ("It is 3 dollars.", Verdict(False, False, ("2 dollars",), (), ("3 dollar",))),
        ("It is 2 dollars, from six.", Verdict(False, False, (), ("six",), ())),
        ("I am not sure, but we can call you back. It is 2 dollars.", Verdict(False, True)),
        ("", Verdict(False, False, ("2 dollars",))),
    ],
)
def test_an_answer_holds_its_values_and_no_others(reply: str, verdict: Verdict) -> None:
    assert check(task(holds=["2 dollars"], avoids=["six"]), PERSONA, reply) == verdict


@pytest.mark.parametrize(
    ("reply", "right"),
    [
        ("I'm sorry, I don't know that.", True),
        ("I am not sure, but we can call you back.", True),
        ("It costs 2 dollars.", False),
        ("I don't know, maybe 7 dollars.", False),
    ],
)
def test_what_no_fact_answers_is_declined_without_a_made_up_value(reply: str, right: bool) -> None:
    asked = task(kind="unknown", ask="What is a cake?", declines=True)
    assert check(asked, PERSONA, reply).right is right


def test_a_choice_of_values_takes_any_of_them() -> None:
    asked = task(holds=[["no", "closed"]])
    assert check(asked, PERSONA, "We are closed.").right
    assert check(asked, PERSONA, "Yes.").missing == ("no or closed",)


def test_the_gain_is_in_points_with_a_paired_interval() -> None:
    base, other = [True] * 40 + [False] * 60, [True] * 35 + [False] * 5 + [True] * 25 + [False] * 35
    found = gain(base, other)
    assert found.points == pytest.approx(20)
    assert (found.low, found.high) == (pytest.approx(10.006, abs=0.001), pytest.approx(29.994, abs=0.001))
    same = gain(base, base)
    assert (same.points, same.low, same.high) == (0, 0, 0)
    assert gain([False] * 18, [True] * 17 + [False]).high == 100
    with pytest.raises(ValueError, match="paired answers"):
        gain([True], [])


def test_a_kept_answer_is_not_made_again_and_a_broken_one_is(tmp_path: Path) -> None:
    cache, made = AnswerCache(tmp_path / "deep"), []

    def make() -> list[int]:
        made.append(1)
        return [len(made)]

    assert [cache.get("k", make), cache.get("k", make)] == [[1], [1]]
    (tmp_path / "deep" / "k.json").write_text("{", encoding="utf-8")
    assert cache.get("k", make) == [2]
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["k.json"]
    assert digest("a", 1) != digest("a", 2)


class Scripted:
    """A member that always says the same, and prefers the first allowed reply."""

    def __init__(self, text: str) -> None:
        self.text, self.closed = text, 0

    def answers(self, messages: object, samplings: list[object]) -> Answers:
        return Answers((Said(self.text, (-0.1,)),) * len(samplings), 50.0, 100.0, 0.2, 10)

    def scores(self, messages: object, texts: list[str]) -> Answers:
        said = tuple(Said(text, (-0.1 - place,)) for place, text in enumerate(texts))
        return Answers(said, 50.0, 100.0, 0.2, 10)

    def close(self) -> None:
        self.closed += 1


def test_every_way_gets_a_row_over_the_same_questions() -> None:
    members: Any = {"s": Scripted("Hello."), "m": Scripted("It costs 99 dollars."), "l": Scripted("Yes.")}
    rows = ways("s", "m", "l")
    asked = questions(["bank"], "dev", None)
    assert len(asked) == 32
    found, answers = compare(rows, rows[1], members, asked, lambda line: None)
    by_name = {row.way: row for row in found}
    assert [row.way for row in found] == [way.name for way in rows]
    assert by_name["m alone, plain prompt"].right.hits == 0
    assert by_name["m alone, plain prompt"].false.hits == 32
    assert by_name["m alone, plain prompt"].gain.points == 0
    # What is invented loses to the safe sentence: right where the facts do not answer, and nowhere else.
    vote = by_name[f"{K} x m, vote"]
    assert (vote.right.hits, vote.false.hits, vote.first_ms_p50) == (6, 0, 100.0)
    assert by_name["m alone, facts chosen"].first_ms_p50 == 50.0
    assert by_name[f"{K} x m, refine"].all_ms_p50 == 200.0
    assert by_name["fact as it stands, no model"].tokens_mean == 0
    assert by_name["fact as it stands, no model"].by_kind.keys() == {
        "plain", "short", "misheard", "followup", "unknown", "outside",
    }  # fmt: skip
    assert len(answers) == 32 * len(rows)
    assert members["l"].closed == 2


def test_the_limit_counts_within_each_domain() -> None:
    asked = questions(["bank", "shop"], "test", 2)
    assert [task.id for _, task, _ in asked] == ["bank-t01", "bank-t02", "shop-t01", "shop-t02"]


def test_the_fact_as_it_stands_is_right_more_often_than_not_on_the_development_half() -> None:
    """Without any model; the figure itself stands in docs/benchmarks.md."""
    right = sum(
        check(one, persona, persona.direct(one.ask, one.messages()).text).right
        for domain in ("bank", "garage", "shop")
        for tasks, persona in [load_tasks(domain)]
        for one in tasks.development
    )
    assert right >= 72
