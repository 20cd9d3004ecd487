"""What models answered, kept on disk by what they were asked, so that a second run takes seconds."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any


class AnswerCache:
    """One JSON file an answer, written whole or not at all. A file that cannot be read counts as absent."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str, make: Callable[[], Any]) -> Any:
        """The answer under ``key``, made and kept if it is not there; always as JSON gives it back."""
        path = self._folder / f"{key}.json"
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            text = json.dumps(make())
        self._folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self._folder, suffix=".part")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(name, path)
        return json.loads(text)


def digest(*parts: Any) -> str:
    """A key of ``parts``, which JSON can hold."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]
