"""The script of a made call: who says what, with which pauses, over which line."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, field_validator, model_validator

from agent.calls.model import Role, Strict
from agent.calls.parse import parse_yaml

Part = str | float


class Noise(Strict):
    """What is heard behind the caller."""

    kind: Literal["none", "white", "hum", "file"] = Field(default="none", description="Which noise.")
    snr_db: float = Field(default=25.0, ge=-5, le=60, description="Level of the caller's speech above it.")
    file: str | None = Field(
        default=None, description="kind `file`: audio to repeat, relative to the script."
    )

    @model_validator(mode="after")
    def _file_fits_kind(self) -> Noise:
        if (self.kind == "file") != (self.file is not None):
            raise ValueError("`file` belongs to kind `file`, and only to it")
        return self


class Line(Strict):
    """What one party says without being answered: a text, or texts with the pauses between them in seconds."""

    caller: str | tuple[Part, ...] | None = Field(default=None, description="The caller's words.")
    agent: str | tuple[Part, ...] | None = Field(default=None, description="The agent's words.")
    gap_s: float | None = Field(
        default=None,
        ge=-5,
        le=60,
        description="Silence before it; below 0 it begins while the other still speaks.",
    )
    speed: float | None = Field(
        default=None, ge=0.5, le=2, description="Pace of this line; 1 is the voice's own."
    )

    @field_validator("caller", "agent")
    @classmethod
    def _alternating(cls, said: str | tuple[Part, ...] | None) -> str | tuple[Part, ...] | None:
        parts = () if said is None else (said,) if isinstance(said, str) else said
        for at, part in enumerate(parts):
            if isinstance(part, str) != (at % 2 == 0):
                raise ValueError("a line with pauses is text, seconds, text, seconds, text")
            if isinstance(part, str) and not part.strip():
                raise ValueError("a text is empty")
            if not isinstance(part, str) and not 0.05 <= part <= 30:
                raise ValueError("a pause lasts 0.05 to 30 s")
        if said is not None and len(parts) % 2 == 0:
            raise ValueError("a line with pauses begins and ends with text")
        return said

    @model_validator(mode="after")
    def _one_speaker(self) -> Line:
        if (self.caller is None) == (self.agent is None):
            raise ValueError("a line is either `caller` or `agent`")
        return self

    @property
    def role(self) -> Role:
        """Who speaks."""
        return "agent" if self.caller is None else "caller"

    @property
    def parts(self) -> tuple[Part, ...]:
        """Text, pause, text ..., pauses in seconds."""
        said = self.agent if self.caller is None else self.caller
        return (said,) if isinstance(said, str) else said or ()


class Script(Strict):
    """A call to be made."""

    name: str = Field(min_length=1, pattern=r"^[\w-]+$", description="Name of the call and of its files.")
    seed: int = Field(
        default=1, ge=0, description="Of the noise and of the voices' breath; same seed, same file."
    )
    lead_in_s: float = Field(default=0.5, ge=0, le=600, description="Silence before the first word.")
    tail_s: float = Field(default=2.0, ge=0, le=600, description="Silence after the last word.")
    gap_s: float = Field(
        default=0.6, ge=0, le=60, description="Silence between two lines that do not say their own."
    )
    band: Literal["wideband", "telephone"] = Field(
        default="wideband", description="16 kHz, or 8 kHz of 300-3400 Hz."
    )
    codec: Literal["none", "mulaw"] = Field(default="none", description="How the file holds its samples.")
    caller_speed: float = Field(default=1.0, ge=0.5, le=2, description="Pace of the caller.")
    agent_speed: float = Field(default=1.0, ge=0.5, le=2, description="Pace of the agent.")
    noise: Noise = Field(default_factory=Noise, description="What is heard behind the caller.")
    lines: tuple[Line, ...] = Field(min_length=1, description="What is said, in order.")


def read_script(path: Path) -> Script:
    """Read a script. Raises InputError, one line that names the file and the key."""
    return parse_yaml(path, Script)
