"""Model files for the engines' own tests: stages know no store, so these look where it puts things."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ModelDir = Callable[[str], Path]


@pytest.fixture(scope="session")
def model_dir() -> ModelDir:
    """Folder of a model by its name in configs/models.yaml; the test is skipped where it is absent."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    root = Path(os.environ.get("BUDGIE_MODELS", cache / "budgie" / "models"))

    def find(name: str) -> Path:
        if not (root / name).is_dir():
            pytest.skip(f"no model {name} in {root}: make models")
        return root / name

    return find


@pytest.fixture
def run_lines() -> Callable[[ModuleType], None]:
    """Runs the lines that a package's docstring shows."""

    def run(package: ModuleType) -> None:
        exec(textwrap.dedent((package.__doc__ or "").split("\n\n", 1)[1]), {})

    return run
