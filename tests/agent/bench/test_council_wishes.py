"""Callers' wishes out of dialogues: the first words asked, one of the wish's values expected."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent.bench.council_check import check
from agent.bench.council_tasks import load_tasks
from agent.bench.council_wishes import WISHES, load_wishes
from agent.errors import AgentError


def write(folder: Path, name: str, wish: str, *said: str) -> None:
    segments = [{"role": "agent", "text": "hello"}, *({"role": "caller", "text": text} for text in said)]
    (folder / name).write_text(json.dumps({"task": wish, "segments": segments}), encoding="utf-8")


def test_the_first_two_lines_of_known_wishes_are_asked(tmp_path: Path) -> None:
    write(tmp_path, "b.json", "pay_bill", "hi my name is ann", "i want to pay a bill", "ten dollars")
    write(tmp_path, "a.json", "reset_password", "reset my password")
    write(tmp_path, "c.json", "marry", "will you marry me")
    asked = load_wishes(tmp_path)
    assert [(wish, task.id, task.ask) for wish, task, _ in asked] == [
        ("reset_password", "wish-t01", "reset my password"),
        ("pay_bill", "wish-t02", "hi my name is ann i want to pay a bill"),
    ]


def test_every_wish_is_served_by_a_fact_of_the_bank(tmp_path: Path) -> None:
    for wish in WISHES:
        write(tmp_path, f"{wish}.json", wish, "hello")
    _, persona = load_tasks("bank")
    for wish, task, _ in load_wishes(tmp_path):
        assert any(check(task, persona, fact).right for fact in persona.facts), wish
        assert not check(task, persona, persona.safe_sentence).right, wish


def test_no_dialogue_and_a_broken_one_are_named(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match="There is no dialogue"):
        load_wishes(tmp_path)
    (tmp_path / "x.json").write_text("[]", encoding="utf-8")
    with pytest.raises(AgentError, match=r"x\.json is no dialogue"):
        load_wishes(tmp_path)


@pytest.mark.calls
def test_the_human_dialogues_all_have_a_known_wish(calls_dir: Path) -> None:
    files = list((calls_dir / "dialogues").glob("*.json"))
    assert len(load_wishes(calls_dir / "dialogues")) == len(files)
