"""The task set is whole, can be answered from the facts, and its halves do not touch the personas' examples."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from agent.bench import council_tasks
from agent.bench.council_check import check
from agent.bench.council_tasks import Task, domains, load_tasks
from agent.errors import AgentError
from stages.council.ear import unfit


def test_three_domains_with_sixty_questions_and_a_sheet_of_fifteen_to_thirty_facts() -> None:
    assert domains() == ["bank", "garage", "shop"]
    for domain in domains():
        tasks, persona = load_tasks(domain)
        assert len(tasks.development) == len(tasks.test) == 32
        assert 15 <= len(persona.facts) <= 30
        for half in (tasks.development, tasks.test):
            kinds = Counter(task.kind for task in half)
            assert kinds == {
                "plain": 11,
                "short": 5,
                "misheard": 5,
                "followup": 5,
                "unknown": 4,
                "outside": 2,
            }


@pytest.mark.parametrize("domain", ["bank", "garage", "shop"])
def test_every_question_is_answered_by_a_fact_or_by_the_safe_sentence(domain: str) -> None:
    tasks, persona = load_tasks(domain)
    for task in tasks.development + tasks.test:
        answers = [persona.safe_sentence] if task.declines else list(persona.facts)
        assert any(check(task, persona, answer).right for answer in answers), task.id
        wrong = persona.facts[0] if task.declines else persona.safe_sentence
        assert not check(task, persona, wrong).right, task.id


@pytest.mark.parametrize("domain", ["bank", "garage", "shop"])
def test_what_a_persona_says_of_itself_is_for_the_ear_and_no_task(domain: str) -> None:
    tasks, persona = load_tasks(domain)
    said = [persona.greeting, persona.safe_sentence, persona.again_sentence, *persona.facts]
    assert {text: unfit(text) for text in said if unfit(text)} in ({}, {persona.greeting: ("long",)})
    asked = {task.ask.lower() for task in tasks.development + tasks.test}
    assert not asked & {example.ask.lower() for example in persona.examples}


TASK = {"id": "bank-d01", "kind": "plain", "ask": "When?", "holds": ["nine"]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"declines": True}, "say either what the answer holds, or that it declines"),
        ({"holds": []}, "say either what the answer holds, or that it declines"),
        ({"kind": "unknown"}, "unknown and outside questions are declined"),
        ({"kind": "followup"}, "history is pairs of lines"),
        ({"history": ["Hello?"]}, "history is pairs of lines"),
        ({"answer": "nine"}, "Extra inputs"),
    ],
)
def test_a_task_that_contradicts_itself_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Task.model_validate(TASK | change)


def test_an_unknown_domain_names_those_there_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(AgentError) as caught:
        load_tasks("zoo")
    assert caught.value.hint == "Shipped: bank, garage, shop."
    monkeypatch.setattr(council_tasks, "TASKS", tmp_path)
    assert domains() == []
