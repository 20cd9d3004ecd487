"""From the council's answers to the figures that the controller weighs paths by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from agent.bench.council_tasks import Task
from agent.controller.quality import Answers, Kind, QualityFile, kind_of
from agent.models.files import write_text_atomically

ALONE = " alone, plain prompt"
"""Ends the name of a way that is one reply of one model, with the prompt of the live path."""
AS_IT_STANDS = "fact as it stands, no model"

COUNCIL = ", constrained"
"""Ends the name of the way that the shipped council is."""

HEAD = """\
# How often each way of answering is right, by kind of question: what the controller weighs paths by.
# Written by the command below, which asks the questions that tuning never saw; do not edit.
"""


def quality_of(
    answers: Sequence[Mapping[str, Any]], tasks: Mapping[str, Task], command: str, date: str, machine: str
) -> QualityFile:
    """Count the right answers of every model alone and of the fact as it stands."""
    ways: dict[str, dict[Kind, list[bool]]] = {}
    for answer in answers:
        task = tasks[answer["task"]]
        kind = kind_of(task.ask, history=bool(task.history))
        ways.setdefault(answer["way"], {}).setdefault(kind, []).append(bool(answer["right"]))
    counted = {
        way: {kind: Answers(right=sum(right), count=len(right)) for kind, right in sorted(kinds.items())}
        for way, kinds in ways.items()
    }
    council = next((one for way, one in counted.items() if way.endswith(COUNCIL)), {})
    models = {way.removesuffix(ALONE): one for way, one in counted.items() if way.endswith(ALONE)}
    return QualityFile(
        command=command,
        date=date,
        machine=machine,
        cached=counted.get(AS_IT_STANDS, {}),
        accurate=council,
        models=models,
    )


def write_quality(found: QualityFile, path: Path) -> None:
    """Write it as commented YAML."""
    text = yaml.safe_dump(found.model_dump(mode="json"), sort_keys=False, width=100)
    write_text_atomically(path, HEAD + text)
