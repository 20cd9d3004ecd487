"""CMake settings for llama.cpp from a description of the processor. Pure."""

from __future__ import annotations

import hashlib
import json

from agent.doctor.cpu import Cpu

ON, OFF = "ON", "OFF"

# Measured: 83 build steps instead of 193. The rest is servers, command-line tools and image input.
_TARGETS = {
    "LLAVA_BUILD": OFF,
    "LLAMA_BUILD_COMMON": OFF,
    "LLAMA_BUILD_TESTS": OFF,
    "LLAMA_BUILD_TOOLS": OFF,
    "LLAMA_BUILD_EXAMPLES": OFF,
    "LLAMA_BUILD_SERVER": OFF,
}

# One owner of the cores: no BLAS with a pool of its own, and no GPU that nobody has asked for.
# See docs/decisions/0001-llama-build.md; BUDGIE_LLAMA_FLAGS overrides any of them.
_THREADS = {
    "GGML_BLAS": OFF,
    "GGML_ACCELERATE": OFF,
    "GGML_METAL": OFF,
}

_AVX512 = {"avx512f", "avx512cd", "avx512vl", "avx512dq", "avx512bw"}

# What each setting makes the compiler use, so what the processor must have.
_X86: dict[str, set[str]] = {
    "GGML_SSE42": {"sse4_2"},
    "GGML_AVX": {"avx"},
    "GGML_AVX2": {"avx2"},
    "GGML_FMA": {"fma"},
    "GGML_F16C": {"f16c"},
    "GGML_BMI2": {"bmi2"},
    "GGML_AVX_VNNI": {"avx_vnni"},
    "GGML_AVX512": _AVX512,
    "GGML_AVX512_VBMI": _AVX512 | {"avx512vbmi"},
    "GGML_AVX512_VNNI": _AVX512 | {"avx512_vnni"},
    "GGML_AVX512_BF16": _AVX512 | {"avx512_bf16"},
}

# Never, whatever the processor has: with AMX the first decode dies by SIGSEGV in ggml_backend_amx_mul_mat.
_AMX = {"GGML_AMX_TILE": OFF, "GGML_AMX_INT8": OFF, "GGML_AMX_BF16": OFF}

# /proc/cpuinfo's name of a feature, and the compiler's.
_ARM = (("asimddp", "dotprod"), ("asimdhp", "fp16"), ("i8mm", "i8mm"))


def cmake_flags(cpu: Cpu, overrides: dict[str, str] | None = None) -> dict[str, str]:
    """Settings that fit ``cpu`` exactly: every feature named that it has, every other one named as off.

    GGML_NATIVE is off everywhere: it would switch AMX on, and what it finds cannot be seen or tested.
    """
    # Threads that wait in OpenMP can be told not to spin (OMP_WAIT_POLICY), those of llama.cpp's own pool cannot.
    # Apple's compiler has no OpenMP.
    openmp = ON if cpu.system == "Linux" else OFF
    flags = _TARGETS | _THREADS | {"GGML_NATIVE": OFF, "GGML_OPENMP": openmp}
    if cpu.arch == "x86_64":
        flags |= {name: ON if needs <= cpu.features else OFF for name, needs in _X86.items()} | _AMX
    elif cpu.arch == "arm64":
        flags["GGML_CPU_ARM_ARCH"] = arm_arch(cpu)
    return flags | (overrides or {})


def arm_arch(cpu: Cpu) -> str:
    """``-march`` for an arm64 processor: 8.2 with what it has, or plain 8.0 when it has no dot product."""
    has = [name for feature, name in _ARM if feature in cpu.features]
    return "+".join(["armv8.2-a", *has]) if "dotprod" in has else "armv8-a"


def parse_overrides(text: str) -> dict[str, str]:
    """``"GGML_METAL=ON GGML_CUDA=ON"`` as settings. Raises ValueError naming the word that is none."""
    pairs = [word.partition("=") for word in text.split()]
    for name, sign, value in pairs:
        if not (name.replace("_", "").isalnum() and sign and value):
            raise ValueError(f"BUDGIE_LLAMA_FLAGS: '{name}{sign}{value}' is not NAME=VALUE")
    return {name: value for name, _, value in pairs}


def cmake_include(flags: dict[str, str]) -> str:
    """The settings as a CMake file of plain variables.

    llama-cpp-python forces some cache entries (the common library on, Metal on and AVX off on macOS), which
    ``-D`` cannot change. A plain variable set when the project starts stays, and is what options read.
    """
    return "".join(f'set({name} "{value}")\n' for name, value in sorted(flags.items()))


def build_key(version: str, flags: dict[str, str], cpu: Cpu, python_abi: str) -> str:
    """Name of the cache folder: a wheel is used again only where all of these are the same."""
    digest = hashlib.sha256(json.dumps(flags, sort_keys=True).encode()).hexdigest()[:12]
    return f"{version}-{digest}-{cpu.system.lower()}-{cpu.arch}-{python_abi}"
