from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from small_store import BIG, SMALL, file_entry, manifest, model

from agent.errors import AgentError
from agent.models.places import cache_root, models_root
from agent.models.pull import Puller
from agent.models.store import Status, Store

MakePuller = Callable[..., Puller]


@pytest.fixture
def filled(store: Store, puller: MakePuller) -> Store:
    puller(store).pull(["toy"])
    return store


def error(store: Store, name: str = "toy") -> AgentError:
    with pytest.raises(AgentError) as caught:
        store.path(name)
    return caught.value


def test_an_absent_model_names_the_command_that_fetches_it(store: Store) -> None:
    caught = error(store)
    assert (caught.code, caught.exit_code) == ("models.missing", 3)
    assert caught.message == f"The model toy is not here ({store.root}/toy does not exist)."
    assert caught.hint == "Run: main.py models pull toy"


def test_a_file_cut_short_is_named_with_both_sizes(filled: Store) -> None:
    path = filled.path("toy")
    path.write_bytes(BIG[:-1])
    caught = error(filled)
    assert (caught.code, caught.exit_code) == ("models.altered", 3)
    assert caught.message == f"{path} has 5,123 bytes instead of 5,124."
    assert caught.hint == "Run: main.py models pull --force toy"


def test_an_altered_file_is_named_with_both_hashes(filled: Store) -> None:
    path = filled.path("toy")
    path.write_bytes(BIG[::-1])
    os.utime(path, ns=(1, 1))
    found, known = (hashlib.sha256(content).hexdigest() for content in (BIG[::-1], BIG))
    assert error(filled).message == f"{path} was altered: its SHA-256 is {found} instead of {known}."


def test_a_change_that_hides_its_time_is_found_by_the_full_check(filled: Store) -> None:
    path = filled.path("toy")
    time_ns = path.stat().st_mtime_ns
    path.write_bytes(BIG[::-1])
    os.utime(path, ns=(time_ns, time_ns))
    assert filled.check("toy").state == "ok"
    assert filled.check("toy", full=True).state == "broken"


def test_a_touched_file_is_hashed_once_and_then_known(filled: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    path = filled.path("toy")
    os.utime(path, ns=(5, 5))
    assert filled.path("toy") == path
    monkeypatch.setattr("agent.models.store.sha256_of", lambda path: "hashed again")
    assert filled.path("toy") == path


def test_a_missing_file_is_named(filled: Store) -> None:
    (filled.root / "toy" / "small.json").unlink()
    assert error(filled).message == f"{filled.root}/toy/small.json is missing."


@pytest.mark.parametrize("content", [b"", b"{", b"{}", b"[]", b"\xff"])
def test_a_damaged_record_means_a_new_pull(filled: Store, puller: MakePuller, content: bytes) -> None:
    (filled.root / "toy" / ".budgie.json").write_bytes(content)
    assert error(filled).message == f"{filled.root}/toy holds no record of how toy was assembled."
    assert puller(filled).pull(["toy"]) == ["toy"]
    assert filled.check("toy", full=True) == Status("toy", "ok")


def test_a_model_older_than_the_manifest_is_fetched_again(filled: Store) -> None:
    newer = model(files=[file_entry("big.gguf", BIG[:-1] + b"x"), file_entry("small.json", SMALL)])
    store = Store(filled.root, manifest(toy=newer))
    assert error(store).message == f"{store.root}/toy: big.gguf is another version than the manifest lists."


def test_a_folder_model_gives_its_folder(tmp_path: Path, puller: MakePuller) -> None:
    store = Store(tmp_path, manifest(toy=model(folder=True)))
    puller(store).pull(["toy"])
    assert store.path("toy") == tmp_path / "toy"


def test_a_file_of_your_own_is_taken_as_it_is(store: Store, tmp_path: Path) -> None:
    mine = tmp_path / "mine.gguf"
    mine.write_bytes(b"GGUF")
    assert store.path(str(mine)) == mine
    caught = error(store, f"{tmp_path}/absent.gguf")
    assert (caught.exit_code, caught.message) == (2, f"{tmp_path}/absent.gguf does not exist.")


def test_an_unknown_name_is_a_usage_error(store: Store) -> None:
    caught = error(store, "nothing-like-it")
    assert (caught.exit_code, caught.hint) == (2, "Known: toy.")


def test_the_fingerprint_is_the_recorded_hash_or_changes_with_the_file(filled: Store, tmp_path: Path) -> None:
    assert filled.fingerprint(filled.path("toy")) == hashlib.sha256(BIG).hexdigest()
    mine = tmp_path / "mine.gguf"
    mine.write_bytes(b"GGUF")
    os.utime(mine, ns=(1, 1))
    first = filled.fingerprint(mine)
    assert filled.fingerprint(mine) == first
    os.utime(mine, ns=(2, 2))
    assert filled.fingerprint(mine) != first


def test_bundled_models_are_whole() -> None:
    """They come with the packages, so this needs no pull."""
    store = Store()
    assert store.check("silero-vad", full=True) == Status("silero-vad", "ok")
    assert store.check("smart-turn-v3.2", full=True) == Status("smart-turn-v3.2", "ok")
    assert store.path("silero-vad").name == "silero_vad.onnx"


def test_places_follow_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BUDGIE_MODELS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    assert (cache_root(), models_root()) == (Path("/cache/budgie"), Path("/cache/budgie/models"))
    monkeypatch.setenv("BUDGIE_MODELS", "/big/disk")
    assert models_root() == Path("/big/disk")
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    assert cache_root() == Path.home() / ".cache" / "budgie"
