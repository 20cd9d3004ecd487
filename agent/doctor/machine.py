"""Python, processor, memory, disk and compiler."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

from agent.doctor.check import Check
from agent.doctor.cpu import Cpu, this_cpu

SHOWN = ("avx2", "fma", "avx512f", "avx512_vnni", "avx512_bf16", "avx_vnni", "amx_int8", "asimddp", "i8mm")
"""The features that change how fast a model runs."""

NEEDED_MEMORY_BYTES = 2_500_000_000
"""Measured: 2.0 GB resident at the most in a replay of 165 s (docs/benchmarks.md), and room for the system."""

NEEDED_DISK_BYTES = 1_000_000_000


def python(version: tuple[int, int, int] = sys.version_info[:3]) -> Check:
    """The interpreter: 3.11 or later."""
    found = ".".join(map(str, version))
    if version >= (3, 11, 0):
        return Check("Python", "ok", found)
    return Check("Python", "fault", found, "Install Python 3.11 or later, then: make clean venv")


def cores(usable: int | None = None) -> Check:
    """Cores that this process may use."""
    if usable is None:
        usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if usable >= 2:
        return Check("cores", "ok", str(usable))
    return Check(
        "cores", "note", str(usable), "With one core, recognition and the model wait for each other."
    )


def processor(cpu: Cpu | None = None) -> Check:
    """Kind of processor, and whether it has what quantised models want."""
    cpu = this_cpu() if cpu is None else cpu
    has = [name for name in SHOWN if name in cpu.features]
    found = f"{cpu.model}, {cpu.arch}: {' '.join(has) or 'no vector features known'}"
    if "amx_int8" in has:
        return Check("processor", "ok", f"{found} (AMX is left unused: llama.cpp crashes with it)")
    if {"avx2", "asimddp"} & cpu.features:
        return Check("processor", "ok", found)
    return Check("processor", "note", found, "Without AVX2 or dot product, models are several times slower.")


def memory(free_bytes: int | None = None) -> Check:
    """Memory that is free for the models."""
    free = _free_memory() if free_bytes is None else free_bytes
    if free is None:
        return Check("memory", "note", "unknown", "The default models take about 2 GB.")
    found = f"{free / 1e9:.1f} GB free"
    if free >= NEEDED_MEMORY_BYTES:
        return Check("memory", "ok", found)
    need = f"The default models want {NEEDED_MEMORY_BYTES / 1e9:.1f} GB"
    return Check("memory", "fault", found, f"{need}: close programs, or choose smaller models in the config.")


def _free_memory() -> int | None:
    """Bytes that can be had without swapping; on macOS half of all there is, since the system does not say."""
    try:
        found = re.search(r"MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text())
        if found:
            return int(found.group(1)) * 1024
    except OSError:
        pass
    if platform.system() == "Darwin":
        total = subprocess.run(
            ["sysctl", "-n", "hw.memsize"], capture_output=True, text=True, check=False
        ).stdout
        return int(total) // 2 if total.strip().isdigit() else None
    return None


def disk(root: Path, missing_bytes: int, free_bytes: int | None = None) -> Check:
    """Space where the models lie, for what is still missing and for recordings."""
    place = next(folder for folder in (root, *root.parents) if folder.is_dir())
    free = shutil.disk_usage(place).free if free_bytes is None else free_bytes
    found, needed = f"{free / 1e9:.1f} GB free in {place}", missing_bytes + NEEDED_DISK_BYTES
    if free >= needed:
        return Check("disk", "ok", found)
    fix = f"{needed / 1e9:.1f} GB are wanted: free some, or set BUDGIE_MODELS to a folder on a larger disk."
    return Check("disk", "fault" if missing_bytes else "note", found, fix)


def compiler(*, llama_installed: bool, path: str | None = None) -> Check:
    """The C++ compiler, which is needed until llama.cpp is built."""
    path = path or shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if path:
        return Check("compiler", "ok", path)
    mac = platform.system() == "Darwin"
    fix = f"Install one: {'xcode-select --install' if mac else 'apt-get install build-essential'}"
    if llama_installed:
        return Check("compiler", "note", "none; llama.cpp is built already", fix)
    return Check("compiler", "fault", "none", fix)
