"""Settings of a live conversation."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

EchoMode = Literal["auto", "webrtc", "half_duplex", "none"]


class TalkConfig(BaseModel):
    """Microphone, loudspeaker, and the echo between them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    greet: bool = Field(True, description="whether the agent speaks first")
    echo: EchoMode = Field(
        "auto",
        description=(
            "the agent's own voice in the microphone: webrtc takes it out, half_duplex closes the microphone while "
            "the agent speaks, none trusts headphones; auto is none where `talk --check` found headphones, else webrtc"
        ),
    )
    half_duplex_tail_ms: float = Field(
        250.0, ge=0.0, le=2000.0, description="how long half_duplex keeps the microphone closed after a reply"
    )
    output_latency: Annotated[float, Field(ge=0.001, le=0.5)] | Literal["low", "high"] = Field(
        "low", description="buffer of the loudspeaker: low or high as the device says, or seconds"
    )
    input_latency: Annotated[float, Field(ge=0.001, le=0.5)] | Literal["low", "high"] = Field(
        "low", description="buffer of the microphone, likewise"
    )
    fade_ms: float = Field(
        5.0, ge=0.0, le=50.0, description="fade of a reply that is cancelled, so that it does not click"
    )
