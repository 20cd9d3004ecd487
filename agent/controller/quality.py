"""What an answer of each path is worth: the share of right ones, as ``bench council`` measured it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path as PathOf
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from agent.config.strict import load_model
from latency_budget.config import PathQuality
from latency_budget.exchange import Path

Kind = Literal["short", "followup", "plain"]
QUALITY_FILE = PathOf(__file__).parent / "data" / "quality.yaml"
SHORT_WORDS = 3
REFERS = frozenset(("it", "that", "this", "there", "they", "them", "those", "these", "he", "she", "one"))
BEGINS = frozenset(("and", "or", "but", "what about", "how about"))
WEIGHT = 4.0
"""How many answers the share over all kinds weighs against those of one kind: some kinds have few."""


UNKNOWN: Mapping[Path, float] = {"cached": 0.7, "speculated": 0.4, "fast": 0.4, "accurate": 0.7}
"""For models that ``bench council`` was not run with: about what small and larger ones were measured at."""


class Answers(BaseModel):
    """How many answers were right, of how many."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    right: int = Field(ge=0, description="right answers")
    count: int = Field(ge=1, description="questions")


class QualityFile(BaseModel):
    """What ``bench council --quality`` wrote."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    command: str = Field(min_length=1, description="what was run")
    date: str = Field(pattern=r"^\d{4}-\d\d-\d\d$", description="when")
    machine: str = Field(min_length=1, description="where")
    cached: Mapping[Kind, Answers] = Field(description="the fact as it stands, by kind of question")
    accurate: Mapping[Kind, Answers] = Field(description="the council, by kind of question")
    models: Mapping[str, Mapping[Kind, Answers]] = Field(
        description="one reply of each model with the live prompt, by kind of question"
    )


def kind_of(text: str, *, history: bool) -> Kind:
    """What kind of question ``text`` is, as far as its words tell; ``history``: something was said before."""
    words = text.lower().replace("?", " ").replace(",", " ").split()
    if history and words and (words[0] in BEGINS or " ".join(words[:2]) in BEGINS or REFERS & set(words)):
        return "followup"
    return "short" if len(words) <= SHORT_WORDS else "plain"


class Quality:
    """The worth of each path with the seats of one session. A figure in the configuration goes before the file's."""

    def __init__(self, wanted: PathQuality, measured: QualityFile | None = None, model: str = "") -> None:
        """``model`` names the weights of the fast seat."""
        self._wanted, self._measured, self._model = wanted, measured, model

    def of(self, path: Path, kind: str) -> float:
        """The share of right answers. ``UNKNOWN`` where none was measured for the seat's model."""
        fixed = getattr(self._wanted, path)
        if fixed is not None:
            return float(fixed)
        shares = self._shares(path)
        return UNKNOWN[path] if shares is None else _share(shares, kind)

    def _shares(self, path: Path) -> Mapping[Kind, Answers] | None:
        if self._measured is None:
            return None
        if path == "cached":
            return self._measured.cached
        if path == "accurate":
            return self._measured.accurate
        return self._measured.models.get(self._model)


def _share(shares: Mapping[Kind, Answers], kind: str) -> float:
    right, count = sum(one.right for one in shares.values()), sum(one.count for one in shares.values())
    own = next((one for name, one in shares.items() if name == kind), None)
    if own is None:
        return right / count
    return (own.right + WEIGHT * right / count) / (own.count + WEIGHT)


def load_quality() -> QualityFile:
    """The figures that are shipped. Raises AgentError when the file is unreadable."""
    return load_model(QUALITY_FILE, QualityFile)
