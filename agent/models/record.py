"""The note beside each assembled model: what its files are, where they came from, how they were made."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agent.models.files import write_text_atomically

NAME = ".budgie.json"


class FileRecord(BaseModel):
    """A file as it was when it was checked in full."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    bytes: int = Field(ge=1, description="size in bytes")
    sha256: str = Field(description="SHA-256 in hexadecimal")
    mtime_ns: int = Field(description="time of the last change when it was hashed, in nanoseconds")


class Recipe(BaseModel):
    """How a model was made here from another one."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str = Field(description="model that it was made from")
    source_sha256: str = Field(description="SHA-256 of the file that it was made from")
    type: str = Field(description="type of the weights")
    llama: str = Field(description="version of llama-cpp-python that made it")


class Record(BaseModel):
    """The whole note."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    files: dict[str, FileRecord] = Field(description="files by name")
    source: str = Field(description="where the model came from")
    licence: str = Field(description="licence of the weights")
    recipe: Recipe | None = Field(None, description="how it was made, if it was made here")


def read_record(folder: Path) -> Record | None:
    """The note in a model's folder, or None where there is none that can be used."""
    try:
        return Record.model_validate_json((folder / NAME).read_bytes())
    except (OSError, ValidationError):
        return None


def write_record(folder: Path, record: Record) -> None:
    """Write the note, whole or not at all."""
    write_text_atomically(folder / NAME, record.model_dump_json(indent=1))
