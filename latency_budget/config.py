"""Settings of the budget."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class BridgeConfig(BaseModel):
    """A few words that cover a late answer ("Let me check that for you.")."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    enabled: bool = Field(True, description="whether a late answer may be covered at all")
    costs: float = Field(
        0.15,
        ge=0.0,
        le=1.0,
        description="quality that a bridge phrase takes from the answer behind it: a better answer must gain more",
    )
    longest_gap_ms: float = Field(
        150.0, ge=0.0, le=1000.0, description="longest silence between a bridge phrase and its answer"
    )
    longest_delay_ms: float = Field(
        300.0,
        ge=0.0,
        le=2000.0,
        description="an answer that would be held up by more than this by the end of a bridge phrase gets none",
    )


class PathQuality(BaseModel):
    """The share of right answers of each path: what it is worth to wait for."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    cached: float | None = Field(
        None, ge=0.0, le=1.0, description="a reply that is ready and fits the turn; null: as measured"
    )
    speculated: float | None = Field(
        None, ge=0.0, le=1.0, description="a draft of the fast seat; null: as measured for its model"
    )
    fast: float | None = Field(
        None, ge=0.0, le=1.0, description="the fast seat; null: as measured for its model"
    )
    accurate: float | None = Field(
        None, ge=0.0, le=1.0, description="the accurate seat; null: as measured for its model"
    )


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
    confidence: float = Field(
        0.9,
        gt=0.5,
        le=0.99,
        description="how sure a path must be to keep the budget before it is taken",
    )
    min_gap_ms: float = Field(
        100.0,
        ge=0.0,
        le=200.0,
        description="earliest moment of a reply: people leave about 200 ms, and an answer within their own "
        "reaction time sounds like an interruption",
    )
    price_cap: float | None = Field(
        None,
        gt=0.0,
        le=1000.0,
        description="dearest path that may be taken, in CPU seconds or in what seats.NAME.price counts; null sets no "
        "limit",
    )
    give_up_ms: float = Field(
        2000.0,
        ge=500.0,
        le=30_000.0,
        description="the safe sentence is said instead of an answer that is expected later than this",
    )
    quality: PathQuality = Field(PathQuality(), description="what an answer of each path is worth")
    bridge: BridgeConfig = Field(BridgeConfig(), description="words that cover a late answer")
