"""Learning when a fact is the answer, on cases whose figures are known."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.bench.fact_fit import Judged, at_chance, judge, learn
from agent.bench.fact_lines import Case, foreign_cases, task_cases, written_cases
from agent.bench.ready_calls import said_in
from agent.errors import AgentError
from agent.persona import Persona
from agent.prepare.fitting import shipped_fit
from agent.prepare.lines import Line, Talk
from agent.prepare.match import Matcher
from agent.prepare.ready import ReadyReplies, Sureness
from agent.prepare.replies import ReplySet, Template
from stages.council.fact_fit import NAMES, FactFit, Fitting

PERSONA = Persona(
    name="Ann",
    role="a clerk.",
    style="Be brief.",
    greeting="Hello.",
    safe_sentence="I do not know that.",
    again_sentence="Say that again, please.",
    facts=("Parking costs 4 dollars.", "The pool opens at nine.", "Towels are free."),
)


def case(ask: str, *right: int) -> Case:
    return Case(PERSONA, ask, ask, (), frozenset(right))


CASES = [
    case("What does parking cost?", 0),
    case("How much is parking?", 0),
    case("When does the pool open?", 1),
    case("Are the towels free?", 2),
    case("Thank you, bye."),
    case("What does a dinner cost?"),
    case("When does the bar open?"),
    case("My name is Tom."),
]


def test_learning_tells_answers_from_lines_without_one() -> None:
    weights = learn(CASES)
    assert set(weights) == set(NAMES)
    judged = {one.case.ask: one for one in judge(CASES, weights)}
    for one in CASES[:4]:
        assert judged[one.ask].right
    lowest = min(judged[one.ask].found.probability for one in CASES[:4])  # type: ignore[union-attr]
    assert lowest > max(judged[one.ask].found.probability for one in CASES[4:])  # type: ignore[union-attr]


def test_shares_count_what_is_said_and_what_could_be() -> None:
    judged = [
        Judged(case("a", 0), Fitting(0, 0.9)),
        Judged(case("b", 1), Fitting(0, 0.8)),
        Judged(case("c", 2), Fitting(2, 0.3)),
        Judged(case("d"), None),
    ]
    right, covered = at_chance(judged, 0.5)
    assert (right.hits, right.count) == (1, 2)
    assert (covered.hits, covered.count) == (1, 3)


def test_what_is_learned_from_names_facts_that_are_there() -> None:
    written = written_cases()
    assert all(len(one.right) <= 1 for one in written)
    assert len({(one.persona.name, one.before, one.ask) for one in written}) == len(written)
    assert len(task_cases("dev")) == len(task_cases("test")) == 96
    assert not {one.ask for one in task_cases("test")} & {one.ask for one in written}
    assert all(not one.right for one in foreign_cases("dev", frozenset({"open"})))
    assert not [one for one in foreign_cases("dev", frozenset({"open"})) if "open" in one.ask.lower().split()]


def test_a_line_that_names_no_fact_is_told(tmp_path: Path) -> None:
    path = tmp_path / "lines.yaml"
    path.write_text("nothing: [hello]\nbank: [{ask: Hm, fact: no such words}]\ngarage: []\nshop: []\n")
    with pytest.raises(AgentError, match="'no such words' stands in 0 facts"):
        written_cases(path)


def test_the_shipped_weights_are_those_that_learning_gives() -> None:
    from agent.cli.bench_facts import FOREIGN_WORDS

    known = [*task_cases("dev"), *foreign_cases("dev", FOREIGN_WORDS), *written_cases()]
    assert shipped_fit().weights == pytest.approx(learn(known), abs=1e-3)
    assert shipped_fit().lines == len(known)


def test_replies_from_memory_are_set_beside_the_recorded_ones() -> None:
    talk = Talk(
        "a",
        (
            Line("agent", ("hello",)),
            Line("caller", ("what does parking cost",)),
            Line("agent", ("it is free",)),
            Line("caller", ("thank you", "bye")),
            Line("agent", ("have a great day",)),
            Line("caller", ("bye",)),
        ),
    )
    bye = Template(name="bye", text="Thank you for calling.", when=("farewell",))
    facts = FactFit(PERSONA.index, {"score": 1.0})
    ready = ReadyReplies(facts, Matcher(ReplySet(templates=(bye,))), Sureness(manners=True, fact=0.7))
    found = said_in([talk], ready)
    assert [one.reply.source if one.reply else None for one in found] == ["fact", "manners", "manners"]
    assert [one.fits for one in found] == [None, True, True]
