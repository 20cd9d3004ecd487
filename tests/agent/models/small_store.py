"""A small store: a model of two files from two packages whose wheels a fake download makes."""

from __future__ import annotations

import hashlib
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent.models.manifest import Manifest
from agent.models.sources import SourceFailed
from agent.models.store import Store

BIG, SMALL = b"GGUF" + bytes(range(256)) * 20, b'{"small": true}'


def file_entry(name: str, content: bytes) -> dict[str, Any]:
    return {"name": name, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


@dataclass
class Registry:
    """What the fake packages hold, and which were asked for."""

    members: dict[str, dict[str, bytes]] = field(
        default_factory=lambda: {
            "part-one==1.0": {"one/a.bin": BIG[:3000]},
            "part-two==1.0": {"two/b.bin": BIG[3000:], "two/small.json": SMALL},
        }
    )
    asked: list[str] = field(default_factory=list)
    interrupt_at: str = ""
    compression: int = zipfile.ZIP_STORED

    def download(self, pin: str, folder: Path) -> None:
        self.asked.append(pin)
        if pin not in self.members:
            raise SourceFailed(f"{pin} cannot be downloaded (no such package)")
        with zipfile.ZipFile(
            folder / f"{pin.replace('==', '-')}-py3-none-any.whl", "w", self.compression
        ) as wheel:
            for name, content in self.members[pin].items():
                wheel.writestr(name, content)
        if pin == self.interrupt_at:
            raise KeyboardInterrupt


def packages() -> dict[str, Any]:
    return {
        "packages": ["part-one==1.0", "part-two==1.0"],
        "files": {"big.gguf": ["one/a.bin", "two/b.bin"], "small.json": ["two/small.json"]},
    }


def model(**changes: Any) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "about": "a test",
        "licence": "MIT",
        "default": True,
        "files": [file_entry("big.gguf", BIG), file_entry("small.json", SMALL)],
        "sources": [packages()],
    }
    return entry | changes


def manifest(**models: dict[str, Any]) -> Manifest:
    return Manifest.model_validate({"models": models or {"toy": model()}})


def left_over(store: Store) -> list[str]:
    """What lies in the store's folder besides its lock and an empty parts folder."""
    parts = store.root / ".parts"
    names = [path.name for path in store.root.iterdir() if path.name not in (".lock", ".parts")]
    return sorted(names + [f".parts/{path.name}" for path in (parts.iterdir() if parts.is_dir() else ())])
