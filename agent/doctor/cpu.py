"""The processor: its kind and the features that decide how llama.cpp is built. Standard library only.

It is also used by the build, which runs before anything else is known to work.
"""

from __future__ import annotations

import platform
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Cpu:
    """A processor.

    Attributes:
        system: ``platform.system()``: ``"Linux"`` or ``"Darwin"``.
        arch: ``"x86_64"``, ``"arm64"``, or what the system calls it.
        features: names as in Linux's /proc/cpuinfo, on every system.
        model: its name for people.
    """

    system: str
    arch: str
    features: frozenset[str]
    model: str = "unknown"


_ARCH = {"amd64": "x86_64", "x86_64": "x86_64", "aarch64": "arm64", "arm64": "arm64"}

# macOS writes AVX512VNNI where Linux writes avx512_vnni.
_MAC_X86 = {
    "avx1.0": "avx",
    "sse4.2": "sse4_2",
    "avx512vnni": "avx512_vnni",
    "avx512bf16": "avx512_bf16",
}
_MAC_ARM = {
    "FEAT_DotProd": "asimddp",
    "FEAT_FP16": "asimdhp",
    "FEAT_I8MM": "i8mm",
    "FEAT_BF16": "bf16",
}


def normal_arch(machine: str) -> str:
    """One name for each architecture: ``amd64`` is ``x86_64``, ``aarch64`` is ``arm64``."""
    return _ARCH.get(machine.lower(), machine.lower())


def parse_cpuinfo(text: str) -> tuple[str, frozenset[str]]:
    """Model name and features from /proc/cpuinfo; with unlike cores, only what all of them have."""
    fields = [line.partition(":") for line in text.splitlines()]
    lists = [
        frozenset(value.split())
        for key, _, value in fields
        if key.strip().lower() in ("flags", "features") and value.strip()
    ]
    names = [value.strip() for key, _, value in fields if key.strip() in ("model name", "Model", "Hardware")]
    return (names[0] if names else "unknown"), frozenset.intersection(*lists) if lists else frozenset()


def parse_sysctl(text: str) -> tuple[str, frozenset[str]]:
    """Model name and features from the output of macOS's ``sysctl -a``."""
    values = {key.strip(): value.strip() for key, _, value in (ln.partition(":") for ln in text.splitlines())}
    features: set[str] = set()
    for key in ("machdep.cpu.features", "machdep.cpu.leaf7_features"):
        for word in values.get(key, "").lower().split():
            features.add(_MAC_X86.get(word, word))
    features.update(name for feat, name in _MAC_ARM.items() if values.get(f"hw.optional.arm.{feat}") == "1")
    return values.get("machdep.cpu.brand_string", "unknown"), frozenset(features)


def this_cpu() -> Cpu:
    """The processor that this program runs on. Unknown systems have no features: slow, but never a crash."""
    system, arch = platform.system(), normal_arch(platform.machine())
    if system == "Darwin":
        text = subprocess.run(["sysctl", "-a"], capture_output=True, text=True, check=False).stdout
        model, features = parse_sysctl(text)
    elif (cpuinfo := Path("/proc/cpuinfo")).exists():
        model, features = parse_cpuinfo(cpuinfo.read_text(errors="replace"))
    else:
        model, features = "unknown", frozenset()
    return Cpu(system, arch, features, re.sub(r"\s+", " ", model))
