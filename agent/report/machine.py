"""Facts about the machine that a figure depends on. Nothing here names the host or its user."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from agent.report.facts import Machine

LIBRARIES = (
    "pipecat-ai",
    "faster-whisper",
    "ctranslate2",
    "llama-cpp-python",
    "piper-tts",
    "onnxruntime",
    "numpy",
    "soxr",
)
"""Whose versions can move a latency."""


def machine_facts(cpuinfo: Path = Path("/proc/cpuinfo")) -> Machine:
    """What this process runs on."""
    return Machine(
        cpu=cpu_name(cpuinfo),
        arch=platform.machine(),
        cores=_cores(),
        memory_gb=_memory_gb(),
        os=f"{platform.system()} {platform.release()}",
        python=f"{platform.python_implementation()} {platform.python_version()}",
        libraries={name: found for name in LIBRARIES if (found := _version(name)) is not None},
    )


def cpu_name(cpuinfo: Path) -> str:
    """The processor's name: from Linux's cpuinfo, macOS's sysctl, else the bare architecture."""
    if cpuinfo.is_file():
        for line in cpuinfo.read_text(errors="replace").splitlines():
            key, _, value = line.partition(":")
            if key.strip() in ("model name", "Model", "Hardware") and value.strip():
                return " ".join(value.split())
    if platform.system() == "Darwin":
        command = ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"]
        found = subprocess.run(command, capture_output=True, text=True, check=False, timeout=5)
        if found.returncode == 0 and found.stdout.strip():
            return found.stdout.strip()
    return platform.machine() or "unknown"


def _cores() -> int:
    """The cores that this process may use, which can be fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _memory_gb() -> float | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (ValueError, OSError, AttributeError):
        return None


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
