from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from tools import build_llama
from tools.build_llama import BuildFailed, check_tools, find_wheel, installed, pinned_version, progress

ROOT = Path(__file__).resolve().parents[2]


def test_the_pin_is_read() -> None:
    assert pinned_version((ROOT / "requirements" / "llama.txt").read_text()) == "0.3.36"
    with pytest.raises(BuildFailed, match="pins no llama-cpp-python==VERSION"):
        pinned_version("llama-cpp-python>=0.3\n")


def test_progress_counts_files_about_every_tenth() -> None:
    lines = [f"  [{n}/20] /usr/bin/g++ x.cpp\n" for n in range(1, 21)] + ["done\n"]
    seconds = iter(range(0, 700, 61))
    assert list(progress(lines, (float(s) for s in seconds))) == [
        "  compiled 1 of 20 files, 0 min 00 s",
        "  compiled 2 of 20 files, 1 min 01 s",
        "  compiled 4 of 20 files, 2 min 02 s",
        "  compiled 6 of 20 files, 3 min 03 s",
        "  compiled 8 of 20 files, 4 min 04 s",
        "  compiled 10 of 20 files, 5 min 05 s",
        "  compiled 12 of 20 files, 6 min 06 s",
        "  compiled 14 of 20 files, 7 min 07 s",
        "  compiled 16 of 20 files, 8 min 08 s",
        "  compiled 18 of 20 files, 9 min 09 s",
        "  compiled 20 of 20 files, 10 min 10 s",
    ]


def test_a_missing_compiler_is_named(tmp_path: Path) -> None:
    with pytest.raises(BuildFailed, match=r"^No C\+\+ compiler found"):
        check_tools({"C compiler": "/usr/bin/cc", "C++ compiler": None}, 10**12, tmp_path)
    with pytest.raises(BuildFailed, match=r"^No C compiler and no C\+\+ compiler found"):
        check_tools({"C compiler": None, "C++ compiler": None}, 10**12, tmp_path)


def test_too_little_disk_space_says_what_is_needed_and_free(tmp_path: Path) -> None:
    with pytest.raises(BuildFailed, match=r"needs 1\.2 GB .* has 0\.3 GB"):
        check_tools({"C compiler": "cc"}, 300_000_000, tmp_path)


def test_a_failed_build_shows_the_logs_end_and_leaves_no_wheel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    # The interpreter that should make the build's environment fails at once.
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho first; echo 'fatal: no such thing'; exit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(broken))
    folder = tmp_path / "budgie" / "wheels" / "key"
    with pytest.raises(
        BuildFailed, match=r"(?s)log's last lines:.*fatal: no such thing\nAll of it: .*llama-build\.log"
    ):
        build_llama.build(folder, {"GGML_NATIVE": "OFF"})
    assert list(folder.parent.iterdir()) == []


def test_a_finished_wheel_is_found(tmp_path: Path) -> None:
    assert find_wheel(tmp_path / "absent") is None
    (tmp_path / "flags.json").write_text("{}")
    assert find_wheel(tmp_path) is None
    (tmp_path / "llama.whl").write_bytes(b"")
    assert find_wheel(tmp_path) == tmp_path / "llama.whl"


def test_the_stamp_names_the_build_that_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stamp = tmp_path / "stamp.json"
    site = tmp_path / "site"
    (site / "llama_cpp").mkdir(parents=True)
    assert not installed(stamp, "key")
    stamp.write_text(json.dumps({"key": "key"}))
    monkeypatch.setattr(sys, "path", [str(site)])
    assert installed(stamp, "key")
    assert not installed(stamp, "other")
    (site / "llama_cpp").rmdir()
    assert not installed(stamp, "key")
    stamp.write_text("{cut")
    assert not installed(stamp, "key")


@pytest.mark.parametrize("name", ["bootstrap", "build", "run", "dev", "llama"])
def test_every_requirement_is_pinned_with_hashes_and_names_no_index(name: str) -> None:
    text = (ROOT / "requirements" / f"{name}.txt").read_text()
    assert "://" not in text
    entries = re.split(r"\n(?=\S)", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).strip())
    assert entries
    for entry in entries:
        assert re.match(r"[a-z0-9._-]+(\[[a-z]+\])?==[0-9][^ ]* ", entry), entry.splitlines()[0]
        assert "--hash=sha256:" in entry


def test_dev_holds_all_that_run_holds() -> None:
    """So one install is enough for both, and tests run on what users run."""

    def pins(name: str) -> set[str]:
        text = (ROOT / "requirements" / f"{name}.txt").read_text()
        return set(re.findall(r"^([a-z0-9._-]+==\S+)", text, re.MULTILINE))

    assert pins("run") <= pins("dev")
