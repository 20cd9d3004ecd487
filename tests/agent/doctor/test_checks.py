from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from agent.doctor import machine, software
from agent.doctor.check import Check
from agent.doctor.cpu import Cpu
from agent.models.store import Store


def states(check: Check) -> tuple[str, str]:
    return check.state, check.found


def test_python() -> None:
    assert states(machine.python((3, 11, 0))) == ("ok", "3.11.0")
    old = machine.python((3, 10, 14))
    assert states(old) == ("fault", "3.10.14")
    assert "Install Python 3.11" in old.fix


def test_cores() -> None:
    assert states(machine.cores(2)) == ("ok", "2")
    assert states(machine.cores(1)) == ("note", "1")


@pytest.mark.parametrize(
    ("arch", "features", "state", "found"),
    [
        ("x86_64", {"avx2", "fma"}, "ok", "X, x86_64: avx2 fma"),
        (
            "x86_64",
            {"avx2", "avx512f", "amx_int8"},
            "ok",
            "X, x86_64: avx2 avx512f amx_int8 (AMX is left unused: llama.cpp crashes with it)",
        ),
        ("x86_64", {"sse4_2"}, "note", "X, x86_64: no vector features known"),
        ("arm64", {"asimddp", "i8mm"}, "ok", "X, arm64: asimddp i8mm"),
        ("arm64", set(), "note", "X, arm64: no vector features known"),
    ],
)
def test_processor(arch: str, features: set[str], state: str, found: str) -> None:
    assert states(machine.processor(Cpu("Linux", arch, frozenset(features), "X"))) == (state, found)


def test_memory() -> None:
    assert states(machine.memory(2_500_000_000)) == ("ok", "2.5 GB free")
    assert states(machine.memory(2_499_999_999)) == ("fault", "2.5 GB free")
    assert "smaller models" in machine.memory(400_000_000).fix


def test_disk_is_a_fault_only_while_models_are_missing(tmp_path: Path) -> None:
    root = tmp_path / "not" / "yet" / "there"
    assert states(machine.disk(root, 0, 2_000_000_000)) == ("ok", f"2.0 GB free in {tmp_path}")
    assert machine.disk(root, 0, 500_000_000).state == "note"
    full = machine.disk(root, 1_400_000_000, 2_000_000_000)
    assert full.state == "fault"
    assert full.fix.startswith("2.4 GB are wanted")


def test_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    assert states(machine.compiler(llama_installed=False, path="/usr/bin/c++")) == ("ok", "/usr/bin/c++")
    monkeypatch.setenv("PATH", "")
    assert states(machine.compiler(llama_installed=False)) == ("fault", "none")
    assert states(machine.compiler(llama_installed=True)) == ("note", "none; llama.cpp is built already")


def test_llama(monkeypatch: pytest.MonkeyPatch) -> None:
    said = "CPU : AVX2 = 1 | AVX512 = 0 | FMA = 1 | REPACK = 1 | "
    monkeypatch.setattr(software, "library_folder", lambda: Path("/lib"))
    monkeypatch.setattr(software, "llama_version", lambda: "0.3.36")
    monkeypatch.setattr(software, "build_flags", lambda: {"GGML_AVX2": "ON"})
    assert states(software.llama(lambda: said)) == ("ok", "llama-cpp-python 0.3.36: AVX2 FMA REPACK")
    assert states(software.llama(lambda: "")) == ("fault", "0.3.36 cannot be loaded")
    monkeypatch.setattr(software, "build_flags", lambda: None)
    assert software.llama(lambda: said).state == "note"
    monkeypatch.setattr(software, "library_folder", lambda: None)
    assert software.llama(lambda: said) == Check("llama.cpp", "fault", "not installed", "Run: make venv")


def test_models_count_what_is_missing(tmp_path: Path) -> None:
    store = Store(tmp_path)
    check, missing = software.models(store)
    assert check.state == "fault"
    assert check.found == (
        "whisper-base absent, whisper-tiny.en absent, smollm2-135m absent, qwen2.5-coder-0.5b absent, piper-joe absent"
    )
    assert missing == sum(store.manifest.get(name).size_bytes for name in store.manifest.default_names())


def test_formats() -> None:
    assert software.formats(software.FORMATS).state == "ok"
    lacking = software.formats(set(software.FORMATS) - {"opus", "aac"})
    assert states(lacking) == ("note", "ffmpeg without aac opus")
    assert software.formats().state == "ok"


def test_sound_is_never_a_fault() -> None:
    def none(name: str) -> Any:
        raise ModuleNotFoundError("No module named 'sounddevice'")

    def no_library(name: str) -> Any:
        raise OSError("PortAudio library not found")

    def devices(*found: tuple[int, int]) -> Any:
        entries = [{"max_input_channels": i, "max_output_channels": o} for i, o in found]
        return lambda name: SimpleNamespace(query_devices=lambda: entries)

    assert states(software.sound(none)) == ("note", "not usable: No module named 'sounddevice'")
    assert states(software.sound(no_library)) == ("note", "not usable: PortAudio library not found")
    assert states(software.sound(devices())) == ("note", "0 to record from, 0 to play to")
    assert states(software.sound(devices((2, 0), (0, 2), (1, 1)))) == ("ok", "2 to record from, 2 to play to")
