"""The weights by which a fact is judged to be the answer, as `bench facts --learn` wrote them."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, model_validator

from agent.config.strict import load_model
from stages.council.fact_fit import NAMES

SHIPPED = Path(__file__).parent / "data" / "fact_fit.yaml"


class FitData(BaseModel):
    """One set of weights, where it comes from, and how well manners were seen to be answered."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    made: str = Field(min_length=1, description="day and command")
    lines: int = Field(ge=1, description="lines that it was learned from")
    weights: dict[str, float] = Field(description="weight of each feature")
    manners_fit: float = Field(ge=0.0, le=1.0, description="share of replies to manners that fitted")

    @model_validator(mode="after")
    def _all_there(self) -> FitData:
        if set(self.weights) != set(NAMES):
            raise ValueError(f"the features are {', '.join(NAMES)}; run bench facts --learn")
        return self


def shipped_fit(path: Path = SHIPPED) -> FitData:
    """The weights that ship. Raises AgentError where the file is not what it should be."""
    return load_model(path, FitData)
