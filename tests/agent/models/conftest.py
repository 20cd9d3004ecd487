from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_store import Registry, manifest

from agent.models.pull import Puller
from agent.models.store import Store


@pytest.fixture
def registry() -> Registry:
    return Registry()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "models", manifest())


@pytest.fixture
def puller(registry: Registry) -> Callable[..., Puller]:
    def make(store: Store, **changes: Any) -> Puller:
        return Puller(store, **({"download": registry.download, "free_bytes": lambda path: 10**12} | changes))

    return make
