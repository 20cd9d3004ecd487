"""Settings of what operators get."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Target = Annotated[str, StringConstraints(pattern=r"^(https?://\S+|.+\.jsonl)$")]


class TelemetryConfig(BaseModel):
    """Spans and metrics of finished turns; all off by default."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    traces: Target | None = Field(
        None,
        description="where spans go: an OTLP/HTTP address (http://localhost:4318/v1/traces), or a file whose name "
        "ends in .jsonl, which is added to; null: nowhere",
    )
    text: Literal["none", "redacted", "full"] = Field(
        "none",
        description="what was said, in spans: nothing; with digits, number words and names replaced; or as it was",
    )
    metrics_port: int | None = Field(
        None, ge=1, le=65_535, description="port of the Prometheus page /metrics; null: none"
    )
    metrics_host: str = Field("127.0.0.1", min_length=1, description="address that the page listens on")
    service: str = Field("budgie", min_length=1, max_length=100, description="service.name of the spans")
