"""Where files are kept between runs. Standard library only: the build uses it too."""

from __future__ import annotations

import os
from pathlib import Path


def cache_root() -> Path:
    """``$XDG_CACHE_HOME/budgie``, or ``~/.cache/budgie``."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "budgie"


def models_root() -> Path:
    """``$BUDGIE_MODELS``, or ``models`` in the cache."""
    named = os.environ.get("BUDGIE_MODELS")
    return Path(named) if named else cache_root() / "models"
