"""A stage's own settings together with what the agent gives it: the model's name, and how a reply is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from stages.asr.config import AsrConfig
from stages.council.config import SeatConfig
from stages.tts.config import TtsConfig


class RecognitionConfig(AsrConfig):
    """Recognition with its model."""

    engine: str = Field(
        "whisper",
        min_length=1,
        description="recogniser, by its name in stages/registry.py; pipecat: the service of that name below",
    )
    model: str = Field("whisper-base", min_length=1, description="a name from `models list`, or a folder")
    partial_every_ms: float = Field(
        500.0,
        ge=0.0,
        le=10_000.0,
        description="audio between two readings while the caller speaks; 0 reads in the pauses only",
    )
    partial_share: float = Field(
        0.25,
        gt=0.0,
        le=1.0,
        description="... and so much more that they take at most this share of one core",
    )
    service: str | None = Field(
        None,
        pattern=r"^[\w.]+:\w+$",
        description="a segmented recognition service of pipecat, as module:Class; for engine pipecat",
    )
    service_options: Mapping[str, Any] = Field(
        {}, description="what it is made with; $NAME takes an environment variable, for keys"
    )
    service_settings: Mapping[str, Any] = Field(
        {}, description="its settings (model, language), as its own Settings class takes them"
    )


class ReplySeatConfig(SeatConfig):
    """A language model, and how it answers."""

    engine: str = Field("llama", min_length=1, description="kind of seat, by its name in stages/registry.py")
    model: str = Field(
        "qwen2.5-coder-0.5b", min_length=1, description="a name from `models list`, or a .gguf file"
    )
    max_tokens: int = Field(48, ge=1, le=2048, description="longest reply, in tokens")
    temperature: float = Field(0.0, ge=0.0, le=2.0, description="0 takes the likeliest token each time")
    price: float | None = Field(
        None,
        ge=0.0,
        le=1000.0,
        description="what one reply costs, as budget.price_cap counts; null: the CPU seconds that it takes",
    )


class SpeechConfig(TtsConfig):
    """Speech synthesis with its voice."""

    engine: str = Field("piper", min_length=1, description="synthesiser, by its name in stages/registry.py")
    voice: str = Field("piper-joe", min_length=1, description="a name from `models list`, or an .onnx file")
