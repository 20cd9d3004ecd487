"""What all tests share: a quiet pipecat, and where models and recorded calls lie."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

# Set before anything imports pipecat or numpy, as main.py does.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("LOGURU_LEVEL", "ERROR")
os.environ.setdefault("PIPECAT_LOG_LLM_CONTEXT", "off")

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def calls_dir() -> Path:
    """The recorded calls; a test that needs them is skipped, with the reason, where they are absent."""
    folder = Path(os.environ.get("VOICE_CALLS", ROOT.parent / "shared" / "calls"))
    if not folder.is_dir():
        pytest.skip(f"no recorded calls at {folder}; VOICE_CALLS names another place")
    return folder
