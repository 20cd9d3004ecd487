"""Profiles between runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.config.model import Config
from agent.prepare.profiles import LARGEST, ProfileStore, profile_key
from agent.report.facts import Machine
from latency_budget.profile import Profile, Stage

MACHINE = Machine(
    cpu="A CPU",
    arch="x86_64",
    cores=2,
    memory_gb=8.0,
    os="Linux 6",
    python="CPython 3.11",
    libraries={"numpy": "2"},
)


def learned(key: str = "a" * 64) -> Profile:
    return Profile.unlearned(key).learned(Stage.TTS, (20.0,), 61.0)


def test_what_was_learned_is_there_the_next_time(tmp_path: Path) -> None:
    assert ProfileStore(tmp_path / "new").save(learned())
    assert ProfileStore(tmp_path / "new").load("a" * 64) == (learned(), None)


def test_a_first_run_begins_without_a_word(tmp_path: Path) -> None:
    assert ProfileStore(tmp_path).load("b" * 64) == (Profile.unlearned("b" * 64), None)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": 1}', "x" * (LARGEST + 1)])
def test_a_file_that_is_no_profile_is_told_and_not_used(tmp_path: Path, text: str) -> None:
    store = ProfileStore(tmp_path)
    store.save(learned())
    (path,) = tmp_path.iterdir()
    path.write_text(text)
    profile, note = store.load("a" * 64)
    assert profile == Profile.unlearned("a" * 64)
    assert note is not None
    assert note.startswith(f"{path.name} is not used: ")
    assert note.endswith("Times are learned anew.")


def test_the_profile_of_another_machine_is_not_used(tmp_path: Path) -> None:
    store = ProfileStore(tmp_path)
    store.save(learned())
    (path,) = tmp_path.iterdir()
    path.rename(tmp_path / f"profile-{'b' * 16}.json")
    profile, note = store.load("b" * 64)
    assert profile == Profile.unlearned("b" * 64)
    assert note is not None
    assert "another machine or with another configuration" in note


def test_the_key_follows_what_decides_the_times_and_nothing_else() -> None:
    config = Config()
    key = profile_key(MACHINE, config)
    assert profile_key(MACHINE.model_copy(update={"cores": 8}), config) != key
    slower = config.model_copy(update={"tts": config.tts.model_copy(update={"threads": 4})})
    assert profile_key(MACHINE, slower) != key
    wider = config.model_copy(update={"budget": config.budget.model_copy(update={"budget_ms": 900.0})})
    assert profile_key(MACHINE, wider) == key
    assert profile_key(MACHINE.model_copy(update={"memory_gb": 64.0}), config) == key


def test_a_folder_that_cannot_be_written_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert ProfileStore(tmp_path / "file").save(learned()) is False
