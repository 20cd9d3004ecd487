"""Does a reply serve the caller's wish? Asked with the first words of callers in human bank dialogues."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agent.bench.council_tasks import Task, load_tasks
from agent.errors import AgentError
from agent.persona import Persona

WISHES = {
    "check_balance": ("app", "account number"),
    "replace_card": ("555 0142", "five working days"),
    "branch_hours": ("nine", "ten"),
    "transfer_money": ("2,000", "phone", "online"),
    "order_checks": ("12 dollars",),
    "pay_bill": ("app", "phone"),
    "reset_password": ("forgot password",),
}
"""What a reply that serves the wish says, of the bank's facts: one of these."""

_LINES = 2
"""A caller's name often fills the first line; the wish is in it or in the second."""


def load_wishes(folder: Path) -> list[tuple[str, Task, Persona]]:
    """A question for each dialogue in ``folder`` whose wish is known, in the order of their names.

    Raises AgentError when there is none, or a file is no dialogue.
    """
    _, persona = load_tasks("bank")
    asked: list[tuple[str, Task, Persona]] = []
    for path in sorted(folder.glob("*.json")):
        wish, words = _read(path)
        if wish in WISHES and words:
            task = Task(id=f"wish-t{len(asked) + 1:02}", kind="plain", ask=words[:200], holds=(WISHES[wish],))
            asked.append((wish, task, persona))
    if not asked:
        raise AgentError(
            "bench.dialogues", f"There is no dialogue in {folder}.", "Name a folder of dialogues."
        )
    return asked


def _read(path: Path) -> tuple[str, str]:
    try:
        dialogue: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        said = [line["text"] for line in dialogue["segments"] if line["role"] == "caller"]
        return str(dialogue["task"]), " ".join(said[:_LINES])
    except (OSError, ValueError, KeyError, TypeError) as exc:
        raise AgentError("bench.dialogues", f"{path} is no dialogue: {exc!r}.", "Leave it out.") from exc
