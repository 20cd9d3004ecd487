"""Which models a report names, and by which hashes."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from agent.config.model import Config
from agent.models.facts import model_facts
from agent.models.store import Store


def test_each_use_is_named_once_and_a_missing_model_has_no_files(tmp_path: Path) -> None:
    found = model_facts(Config(), Store(tmp_path))
    assert [one.use for one in found] == [
        "voice activity",
        "turn end, sound",
        "turn end, words",
        "recognition",
        "seat fast",
        *[one.use for one in found if one.use.startswith("seat ") and one.use != "seat fast"],
        "voice",
    ]
    assert found[0].files.keys() == {"silero_vad.onnx"}  # it lies in a package
    assert all(not one.files for one in found[2:])


def test_a_file_of_ones_own_is_hashed_and_its_folder_is_not_told(tmp_path: Path) -> None:
    own = tmp_path / "mine.gguf"
    own.write_bytes(b"weights")
    config = Config()
    seat = config.seats["fast"].model_copy(update={"model": str(own)})
    config = config.model_copy(update={"seats": {**config.seats, "fast": seat}})
    fast = next(one for one in model_facts(config, Store(tmp_path)) if one.use == "seat fast")
    assert fast.name == "mine.gguf"
    assert fast.files == {"mine.gguf": sha256(b"weights").hexdigest()}
