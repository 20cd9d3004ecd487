"""Settings of the budget."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class BudgetConfig(BaseModel):
    """How quick an answer has to be. The clock starts at the caller's last voiced sample."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    budget_ms: float = Field(
        500.0,
        ge=50.0,
        le=10_000.0,
        description="longest wait for the first audible sample of the reply (onset)",
    )
    content_budget_ms: float | None = Field(
        None,
        ge=50.0,
        le=10_000.0,
        description="longest wait for audio that answers (V2V); null sets no limit",
    )
