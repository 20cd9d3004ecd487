"""Keeps what models answered, by the content they were asked about, so that a second run takes seconds."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stages.contract import Audio


class AnswerCache:
    """One JSON file an answer set, written whole or not at all. A file that cannot be read counts as absent."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str, make: Callable[[], Any]) -> Any:
        """The answer under ``key``, made and kept if it is not there. Answers are what JSON can hold."""
        path = self._folder / f"{key}.json"
        try:
            return json.loads(path.read_text())
        except (OSError, ValueError):
            answer = make()
        self._folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self._folder, suffix=".part")
        with os.fdopen(handle, "w") as file:
            json.dump(answer, file)
        os.replace(name, path)
        return answer


def digest(*parts: object) -> str:
    """A key of the contents of ``parts``: audio by its samples, everything else by its text."""
    whole = hashlib.sha256()
    for part in parts:
        whole.update(_bytes(part))
        whole.update(b"\x00")
    return whole.hexdigest()[:32]


def _bytes(part: object) -> bytes:
    import numpy as np

    if isinstance(part, np.ndarray):
        audio: Audio = np.ascontiguousarray(part)
        return audio.tobytes()
    return repr(part).encode()
