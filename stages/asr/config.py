"""Settings of speech recognition."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class GateConfig(BaseModel):
    """When text is taken for invented: Whisper finds words in any sound, so several signs decide together.

    The defaults come from ``tools/bench_gate.py``: see docs/benchmarks.md.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    level_dbfs: float = Field(
        -60.0,
        ge=-120.0,
        le=0.0,
        description="audio whose loudest 20 ms are below this is silence; not decoded",
    )
    sure_no_speech: float = Field(
        0.3,
        ge=0.0,
        le=1.0,
        description="text is believed at once with a no-speech probability up to this ...",
    )
    sure_logprob: float = Field(
        -0.8, ge=-20.0, le=0.0, description="... and a mean token log-probability from this up"
    )
    voiced_ms: int = Field(
        96,
        ge=0,
        le=2000,
        description="other text needs this much voice (windows that Silero rates over 0.5)",
    )
    voiced_share: float = Field(
        0.15, ge=0.0, le=1.0, description="... and this share of the audio's windows to be voiced"
    )
    logprob: float = Field(
        -1.3, ge=-20.0, le=0.0, description="text with a lower mean log-probability is invented"
    )
    speech_logprob: float = Field(
        -2.0,
        ge=-20.0,
        le=0.0,
        description="... unless its no-speech probability is sure: then from here down",
    )
    no_speech: float = Field(
        0.9, ge=0.0, le=1.0, description="text with a higher no-speech probability is invented"
    )
    steady_db: float = Field(
        20.0,
        ge=0.0,
        le=100.0,
        description="audio whose level moves less than this (10th to 95th percentile) may be a room full of voices",
    )
    steady_logprob: float = Field(
        -0.65, ge=-20.0, le=0.0, description="... it is one if the mean log-probability is below this"
    )
    steady_voice: float = Field(
        0.95, ge=0.0, le=1.0, description="... and the mean probability of its voiced windows below this"
    )
    repeats: int = Field(
        5, ge=2, le=50, description="a phrase said this often in a row is invented, or a stumble"
    )


class AsrConfig(BaseModel):
    """Whisper on CTranslate2, one greedy pass over a window as long as what was said."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    language: str = Field(
        "en", pattern="^[a-z]{2,3}$", description="language code; English-only models take en"
    )
    compute_type: Literal["int8", "int8_float32", "int16", "float32", "float16", "bfloat16"] = Field(
        "int8", description="number format of the weights in memory; int8 is the fastest on a CPU"
    )
    threads: int = Field(1, ge=1, le=64, description="threads of one recognition")
    workers: int = Field(
        2, ge=1, le=16, description="readings at the same time: a final text does not wait for a partial"
    )
    margin_s: float = Field(
        2.0,
        ge=0.0,
        le=10.0,
        description="silence behind the utterance: below 1 s the model repeats itself, more costs time",
    )
    tokens_per_second: float = Field(
        8.0, ge=1.0, le=25.0, description="most tokens that a second of speech can hold; ends a run-on"
    )
    tokens_spare: int = Field(
        12, ge=4, le=100, description="tokens allowed on top, for stamps and short audio"
    )
    gate: GateConfig = Field(GateConfig(), description="when text is taken for invented")
