"""A call as its JSON file holds it, and the checks that its labels must pass."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from agent.calls.parse import nearest, parse_json
from stages.errors import InputError

SUFFIX = ".call.json"

Role = Literal["caller", "agent"]

_SLACK_S = 0.05
"""Labels are rounded to 10 ms and windows reach over the end: this much beyond the audio is no error."""


class Strict(BaseModel):
    """No unknown keys, nothing changes after reading."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class Segment(Strict):
    """A stretch of one party's speech without a long pause."""

    role: Role = Field(description="Who speaks.")
    start_s: float = Field(
        ge=0, allow_inf_nan=False, description="First voiced sample, from the call's begin."
    )
    end_s: float = Field(ge=0, allow_inf_nan=False, description="Last voiced sample.")
    text: str = Field(default="", description="What is said; empty where nobody wrote it down.")
    speed: float | None = Field(
        default=None, gt=0, description="Re-voiced calls: pace of the voice, 1 is its own."
    )
    wanted_s: float | None = Field(
        default=None, ge=0, description="Re-voiced calls: how long the human spoke."
    )

    @property
    def seconds(self) -> float:
        """Length."""
        return self.end_s - self.start_s


class Track(Strict):
    """Which channel of which file, beside the JSON, is whose."""

    file: str = Field(min_length=1, description="Audio file, relative to the JSON.")
    channel: int = Field(default=0, ge=0, description="Channel of it, from 0.")


class Call(Strict):
    """One recorded or made call: its audio, and the labelled segments of both parties."""

    schema_: int = Field(default=1, alias="schema", ge=1, le=1, description="Version of this format.")
    name: str = Field(min_length=1, description="Name of the call.")
    synthetic: bool = Field(default=False, description="True where no human speaks.")
    exact: bool = Field(
        default=False, description="True: labels were measured on the clean voices, use them as is."
    )
    seconds: float | None = Field(default=None, gt=0, allow_inf_nan=False, description="Length of the audio.")
    caller: Track | None = Field(default=None, description="Where the caller is heard.")
    agent: Track | None = Field(default=None, description="Where the agent is heard.")
    mixed: Track | None = Field(default=None, alias="mixed mono", description="Both on one channel.")
    caller_gated_by_turns: bool = Field(default=False, description="Cut the caller out by the labels' times.")
    turns: tuple[Segment, ...] = Field(description="Speech segments of both parties, by start.")
    source: str = Field(default="", description="Where the recording is from.")
    licence: str = Field(default="", description="Its licence.")
    text_source: str = Field(default="", description="Who or what wrote the texts.")
    timing_source: str = Field(default="", description="Who or what set the times.")
    note: str = Field(default="", description="Anything else.")
    made: dict[str, Any] = Field(default_factory=dict, description="Made calls: voices, seed, noise, script.")
    remarks: dict[str, str] = Field(
        default_factory=dict, description="Texts under keys that mean nothing here."
    )

    @model_validator(mode="before")
    @classmethod
    def _keep_remarks(cls, data: Any) -> Any:
        """Recordings come with texts of their own (a speaker, an address): kept, unless a key looks misspelt."""
        if not isinstance(data, dict):
            return data
        known = [field.alias or name for name, field in cls.model_fields.items()]
        strange = [key for key, value in data.items() if key not in known and isinstance(value, str)]
        remarks = {key: data[key] for key in strange if nearest(str(key), known) is None}
        if not remarks:
            return data
        rest = {key: value for key, value in data.items() if key not in remarks}
        return {**rest, "remarks": {**rest.get("remarks", {}), **remarks}}


def read_call(path: Path) -> Call:
    """Read and check a ``NAME.call.json``. Raises InputError that names the file and the segment."""
    call = parse_json(path, Call)
    if call.caller is None and call.mixed is None:
        raise InputError("call.caller", f"{path}: no `caller` and no `mixed mono` audio is named.")
    if call.caller is None and not call.caller_gated_by_turns:
        raise InputError(
            "call.caller",
            f"{path}: both voices are on one channel.",
            "Set `caller_gated_by_turns: true` to cut the caller out by the labels' times.",
        )
    check_segments(path, "turns", call.turns)
    return call


def check_segments(path: Path, key: str, segments: tuple[Segment, ...], seconds: float | None = None) -> None:
    """Raise InputError if segments run backwards, overlap within a role, or end beyond ``seconds``."""
    last_start = 0.0
    last_of: dict[str, tuple[int, Segment]] = {}
    for at, segment in enumerate(segments):
        where = f"{path}: {key}[{at}] ({segment.role}, {segment.start_s:g} to {segment.end_s:g} s)"
        if segment.end_s <= segment.start_s:
            raise _bad_label(f"{where} runs backwards: it ends before it starts.")
        if segment.start_s < last_start:
            raise _bad_label(
                f"{where} starts before {key}[{at - 1}]; segments stand in order of their start."
            )
        before, other = last_of.get(segment.role, (0, None))
        if other is not None and segment.start_s < other.end_s:
            raise _bad_label(
                f"{where} overlaps {key}[{before}] of the same party, which ends at {other.end_s:g} s."
            )
        if seconds is not None and segment.end_s > seconds + _SLACK_S:
            raise _bad_label(f"{where} lies beyond the audio, which ends at {seconds:.2f} s.")
        last_start, last_of[segment.role] = segment.start_s, (at, segment)


def _bad_label(message: str) -> InputError:
    return InputError("call.label", message, "Mend the label, or make new ones: calls label.")
