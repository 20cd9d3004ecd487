from __future__ import annotations

import pytest

from agent.doctor.cpu import normal_arch, parse_cpuinfo, parse_sysctl

X86 = """processor\t: 0
model name\t: Intel(R)  Xeon(R) Gold
flags\t\t: fpu sse4_2 avx avx2 avx512f amx_int8

processor\t: 1
model name\t: Intel(R)  Xeon(R) Gold
flags\t\t: fpu sse4_2 avx avx2
bugs\t\t: spectre_v1
"""

ARM = """processor\t: 0
BogoMIPS\t: 48.00
Features\t: fp asimd asimddp i8mm
CPU implementer\t: 0x41
"""

MAC_INTEL = """machdep.cpu.brand_string: Intel(R) Core(TM) i7
machdep.cpu.features: FPU SSE4.2 AVX1.0 FMA F16C
machdep.cpu.leaf7_features: AVX2 BMI2 AVX512F AVX512VNNI
"""

MAC_APPLE = """machdep.cpu.brand_string: Apple M1
hw.optional.arm.FEAT_DotProd: 1
hw.optional.arm.FEAT_FP16: 1
hw.optional.arm.FEAT_I8MM: 0
"""


def test_only_what_all_cores_have_counts() -> None:
    assert parse_cpuinfo(X86) == (
        "Intel(R)  Xeon(R) Gold",
        frozenset({"fpu", "sse4_2", "avx", "avx2"}),
    )


def test_arm_calls_them_features() -> None:
    assert parse_cpuinfo(ARM) == ("unknown", frozenset({"fp", "asimd", "asimddp", "i8mm"}))


def test_nothing_known_is_no_features() -> None:
    assert parse_cpuinfo("") == ("unknown", frozenset())


def test_macos_names_are_turned_into_linux_names() -> None:
    model, features = parse_sysctl(MAC_INTEL)
    assert model == "Intel(R) Core(TM) i7"
    assert features == {"fpu", "sse4_2", "avx", "fma", "f16c", "avx2", "bmi2", "avx512f", "avx512_vnni"}


def test_apple_silicon() -> None:
    assert parse_sysctl(MAC_APPLE) == ("Apple M1", frozenset({"asimddp", "asimdhp"}))


@pytest.mark.parametrize(
    ("machine", "arch"),
    [
        ("AMD64", "x86_64"),
        ("x86_64", "x86_64"),
        ("aarch64", "arm64"),
        ("arm64", "arm64"),
        ("riscv64", "riscv64"),
    ],
)
def test_one_name_an_architecture(machine: str, arch: str) -> None:
    assert normal_arch(machine) == arch
