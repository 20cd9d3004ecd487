"""The whole configuration, made of the parts' own models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from agent.config.council import CouncilConfig
from agent.config.endpoint import EndpointConfig
from agent.config.parts import ComputeConfig, PathsConfig, ReplayConfig
from agent.config.staged import RecognitionConfig, ReplySeatConfig, SpeechConfig
from agent.prepare.config import PrepareConfig
from agent.talk.config import TalkConfig
from agent.telemetry.config import TelemetryConfig
from latency_budget.config import BudgetConfig

FAST = "fast"
"""The seat that every turn can fall back on."""

SeatName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]


class Config(BaseModel):
    """Everything that can be set. Frozen; ``Config()`` is what ``configs/default.yaml`` says."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    persona: str = Field(
        "bank",
        min_length=1,
        description="who answers: a name from configs/personas, or a .yaml file beside this one",
    )
    budget: BudgetConfig = Field(BudgetConfig(), description="how quick an answer has to be")
    compute: ComputeConfig = Field(ComputeConfig(), description="the cores and who gets them")
    endpoint: EndpointConfig = Field(EndpointConfig(), description="turn taking")
    asr: RecognitionConfig = Field(RecognitionConfig(), description="recognition")
    seats: Mapping[SeatName, ReplySeatConfig] = Field(
        {"fast": ReplySeatConfig()}, min_length=1, description="language models by the name of their seat"
    )
    council: CouncilConfig = Field(
        CouncilConfig(), description="several answers, compared: the accurate path"
    )
    tts: SpeechConfig = Field(SpeechConfig(), description="speech synthesis")
    prepare: PrepareConfig = Field(PrepareConfig(), description="what is ready before it is needed")
    replay: ReplayConfig = Field(ReplayConfig(), description="recorded calls")
    talk: TalkConfig = Field(TalkConfig(), description="live conversations")
    telemetry: TelemetryConfig = Field(
        TelemetryConfig(), description="spans and metrics of finished turns, for operators"
    )
    paths: PathsConfig = Field(PathsConfig(), description="where things are kept")


def thread_caps(config: Config) -> dict[str, int]:
    """The thread cap of every stage by its key: the one view of who may use how many cores at once."""
    caps = {
        "endpoint.smart_turn.threads": config.endpoint.smart_turn.threads,
        "endpoint.text_end.threads": config.endpoint.text_end.threads,
        "asr.threads": config.asr.threads,
        "tts.threads": config.tts.threads,
    }
    return caps | {f"seats.{name}.threads": seat.threads for name, seat in config.seats.items()}
