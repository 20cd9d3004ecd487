"""The list of models: their files, hashes, licences and sources, read from configs/models.yaml."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from agent.config.strict import load_model
from agent.errors import AgentError

SHIPPED = Path(__file__).resolve().parents[2] / "configs" / "models.yaml"

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]*$")]
FileName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$")]
Pin = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]*==[0-9][0-9a-z.]*$")]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ModelFile(_Strict):
    """One file of a model, as it lies assembled."""

    name: FileName = Field(description="file name")
    bytes: int = Field(ge=1, description="size in bytes")
    sha256: Sha256 = Field(description="SHA-256 in hexadecimal")


class Source(_Strict):
    """One place to take a model from: packages, a local path, or a hub repository."""

    packages: tuple[Pin, ...] | None = Field(None, description="packages with exact versions, in order")
    path: str | None = Field(None, min_length=1, description="folder or file on this machine")
    hub: str | None = Field(None, min_length=3, description="repository on the hub, OWNER/NAME")
    revision: str = Field("main", min_length=1, description="revision of the hub repository")
    files: dict[FileName, tuple[str, ...]] = Field(
        default_factory=dict, description="file -> the members it is joined from; default: the same name"
    )
    sha256: dict[FileName, Sha256] = Field(
        default_factory=dict, description="file -> its SHA-256 where this source's build of it differs"
    )

    @model_validator(mode="after")
    def _one_kind(self) -> Source:
        if sum(kind is not None for kind in (self.packages, self.path, self.hub)) != 1:
            raise ValueError("a source has exactly one of packages, path, hub.")
        return self

    def __str__(self) -> str:
        if self.packages:
            more = f" and {len(self.packages) - 1} more" if len(self.packages) > 1 else ""
            return f"package {self.packages[0]}{more}"
        return f"path {self.path}" if self.path else f"hub {self.hub}@{self.revision}"


class Requantise(_Strict):
    """A model made here from another one, by llama.cpp's quantiser."""

    source: Name = Field(alias="from", description="model that it is made from")
    type: Literal["Q4_0", "Q8_0"] = Field(description="type of the weights")
    file: FileName = Field(description="name of the file made")
    bytes: int = Field(ge=1, description="size of the file made, in bytes")
    sha256: Sha256 = Field(
        description="SHA-256 of the file made on x86-64; elsewhere the one made is recorded"
    )


class Bundled(_Strict):
    """A model that lies inside an installed package."""

    package: FileName = Field(description="package, by the name it is imported under")
    member: str = Field(min_length=1, description="path inside the package")


class Model(_Strict):
    """One model: what it is for, its licence, its files, and how to get them."""

    about: str = Field(min_length=1, description="what it is for")
    licence: str = Field(min_length=1, description="licence of the weights")
    default: bool = Field(False, description="whether `models pull` without names fetches it")
    folder: bool = Field(False, description="whether users of the model take its folder, not its first file")
    files: tuple[ModelFile, ...] = Field((), description="files, the main one first")
    sources: tuple[Source, ...] = Field((), description="where to get it, tried in this order")
    requantise: Requantise | None = Field(None, description="how it is made from another model")
    bundled: Bundled | None = Field(None, description="where it lies inside an installed package")

    @model_validator(mode="after")
    def _one_origin(self) -> Model:
        if sum((bool(self.sources), self.requantise is not None, self.bundled is not None)) != 1:
            raise ValueError("a model has exactly one of sources, requantise, bundled.")
        if (self.requantise is None) != bool(self.files):
            raise ValueError("files are listed, with hashes, unless the model is made by requantise.")
        if self.bundled and len(self.files) != 1:
            raise ValueError("a bundled model is one file.")
        known = {file.name for file in self.files}
        for source in self.sources:
            if strange := (set(source.files) | set(source.sha256)) - known:
                raise ValueError(f"the source {source} names {min(strange)}, which is none of the files.")
        return self

    @property
    def size_bytes(self) -> int:
        """Bytes on disk, all files together."""
        return self.requantise.bytes if self.requantise else sum(file.bytes for file in self.files)


class Manifest(_Strict):
    """All models by name."""

    models: dict[Name, Model] = Field(min_length=1, description="models by name")

    @model_validator(mode="after")
    def _origins_exist(self) -> Manifest:
        for name, model in self.models.items():
            if model.requantise:
                origin = self.models.get(model.requantise.source)
                if origin is None or not origin.sources or len(origin.files) != 1:
                    raise ValueError(
                        f"{name} is made from {model.requantise.source}, which is no model of one file here."
                    )
        return self

    def get(self, name: str) -> Model:
        """The model called ``name``. Raises AgentError (usage) with the nearest names."""
        if name in self.models:
            return self.models[name]
        near = difflib.get_close_matches(name, self.models, n=3, cutoff=0.5)
        hint = f"Did you mean {' or '.join(near)}?" if near else f"Known: {', '.join(self.models)}."
        raise AgentError("models.unknown", f"There is no model called '{name}'.", hint)

    def default_names(self) -> list[str]:
        """What `models pull` fetches without names."""
        return [name for name, model in self.models.items() if model.default]


def load_manifest(path: Path | None = None) -> Manifest:
    """Read a manifest (default: the shipped one). Raises AgentError that names every mistake with its line."""
    return load_model(path or SHIPPED, Manifest)
