"""Which llama.cpp is installed: its identity, and what is known of how it was built. llama_cpp is not imported."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import sys
from pathlib import Path

from agent.doctor.cpu import this_cpu
from agent.models.files import sha256_of

STAMP = "budgie-llama.json"


def library_folder() -> Path | None:
    """Where llama-cpp-python keeps its shared libraries, or None when it is not installed."""
    spec = importlib.util.find_spec("llama_cpp")
    return Path(spec.origin).parent / "lib" if spec and spec.origin else None


def build_id() -> str:
    """Identity of the installed build on this processor, or ``"none"``: 16 hexadecimal digits.

    It hashes the libraries themselves, so it is right however the package was installed. About 10 ms.
    """
    folder = library_folder()
    if folder is None or not folder.is_dir():
        return "none"
    digest = hashlib.sha256(" ".join(sorted(this_cpu().features)).encode())
    for path in sorted(folder.glob("lib*")):
        if path.is_file() and not path.is_symlink():
            digest.update(f"{path.name} {sha256_of(path)}\n".encode())
    return digest.hexdigest()[:16]


def build_flags() -> dict[str, str] | None:
    """The CMake settings that `make venv` built with, or None when it did not build this one."""
    try:
        flags = json.loads((Path(sys.prefix) / STAMP).read_text())["flags"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return flags if isinstance(flags, dict) else None
