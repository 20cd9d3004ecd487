"""The `models` commands as a user runs them, on a store of their own and a local source."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from small_store import BIG, SMALL, file_entry

from agent.cli.app import run


@pytest.fixture
def options(tmp_path: Path) -> list[str]:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "big.gguf").write_bytes(BIG)
    (mine / "small.json").write_bytes(SMALL)
    files = [file_entry("big.gguf", BIG), file_entry("small.json", SMALL)]
    toy = {
        "about": "a test",
        "licence": "MIT",
        "default": True,
        "files": files,
        "sources": [{"path": str(mine)}],
    }
    manifest = tmp_path / "models.yaml"
    manifest.write_text(yaml.safe_dump({"models": {"toy": toy}}))
    return ["--root", str(tmp_path / "store"), "--manifest", str(manifest)]


def test_list_pull_verify(options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def states() -> list[str]:
        assert run(["models", "list", "--json", "-", *options]) == 0
        document = json.loads(capsys.readouterr().out.splitlines()[-1])
        assert document["root"] == str(tmp_path / "store")
        return [entry["state"] for entry in document["models"]]

    assert states() == ["absent"]
    assert run(["models", "pull", *options]) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert "toy: 0 MB, licence MIT" in said.err
    assert said.err.splitlines()[-1] == f"In place in {tmp_path}/store: toy, fetched or made now: toy."
    assert states() == ["ok"]
    assert run(["models", "verify", *options]) == 0
    capsys.readouterr()


def test_verify_names_what_is_wrong_and_the_way_out(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["models", "pull", *options])
    path = tmp_path / "store" / "toy" / "small.json"
    path.write_bytes(SMALL[:-1])
    capsys.readouterr()
    assert run(["models", "verify", "--json", "-", *options]) == 3
    said = capsys.readouterr()
    assert json.loads(said.out)["models"][0]["state"] == "broken"
    assert said.err.splitlines() == [
        f"error: 1 of 1 models are not right. toy: {path} has 14 bytes instead of 15.",
        "hint: Run: main.py models pull --force toy",
    ]
    assert run(["models", "pull", *options]) == 0
    assert path.read_bytes() == SMALL


def test_verify_of_an_absent_default_model_is_3(options: list[str]) -> None:
    assert run(["models", "verify", *options]) == 3


@pytest.mark.parametrize(
    ("words", "code"), [(["pull", "nothing"], 2), (["verify", "nothing"], 2), (["list", "--json", "file"], 2)]
)
def test_wrong_use(options: list[str], words: list[str], code: int) -> None:
    assert run(["models", *words, *options]) == code


def test_the_table_shows_every_model(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["models", "list", *options]) == 0
    out = capsys.readouterr().out
    assert "toy" in out
    assert "absent" in out
    assert "MIT" in out
