"""A model of 0.2 MB, made here: the engine's own tests need no download."""

from __future__ import annotations

from pathlib import Path

import pytest

from stages.council.config import SeatConfig
from tools.make_tiny_gguf import write

SMALL = SeatConfig(threads=1, n_ctx=512, reply_tokens=64, batch_tokens=64)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Path of the model."""
    path = tmp_path_factory.mktemp("tiny") / "tiny.gguf"
    write(path)
    return path
