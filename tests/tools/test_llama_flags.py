from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.doctor.cpu import Cpu
from tools.llama_flags import build_key, cmake_flags, cmake_include, parse_overrides

HASWELL = {"sse4_2", "avx", "avx2", "fma", "f16c", "bmi2"}
SKYLAKE_X = HASWELL | {"avx512f", "avx512cd", "avx512vl", "avx512dq", "avx512bw"}
ICE_LAKE = SKYLAKE_X | {"avx512vbmi", "avx512_vnni"}
SAPPHIRE_RAPIDS = ICE_LAKE | {"avx512_bf16", "avx_vnni", "amx_tile", "amx_int8", "amx_bf16"}

X86_OFF = {
    "GGML_SSE42": "OFF",
    "GGML_AVX": "OFF",
    "GGML_AVX2": "OFF",
    "GGML_FMA": "OFF",
    "GGML_F16C": "OFF",
    "GGML_BMI2": "OFF",
    "GGML_AVX_VNNI": "OFF",
    "GGML_AVX512": "OFF",
    "GGML_AVX512_VBMI": "OFF",
    "GGML_AVX512_VNNI": "OFF",
    "GGML_AVX512_BF16": "OFF",
    "GGML_AMX_TILE": "OFF",
    "GGML_AMX_INT8": "OFF",
    "GGML_AMX_BF16": "OFF",
}
AVX2_ON = dict.fromkeys(("GGML_SSE42", "GGML_AVX", "GGML_AVX2", "GGML_FMA", "GGML_F16C", "GGML_BMI2"), "ON")


def x86(features: set[str]) -> dict[str, str]:
    flags = cmake_flags(Cpu("Linux", "x86_64", frozenset(features)))
    assert (flags["GGML_NATIVE"], flags["GGML_OPENMP"]) == ("OFF", "ON")
    return {name: value for name, value in flags.items() if name in X86_OFF}


def test_avx2_only() -> None:
    assert x86(HASWELL) == X86_OFF | AVX2_ON


def test_avx512_without_amx() -> None:
    assert x86(SKYLAKE_X) == X86_OFF | AVX2_ON | {"GGML_AVX512": "ON"}
    more = {"GGML_AVX512": "ON", "GGML_AVX512_VBMI": "ON", "GGML_AVX512_VNNI": "ON"}
    assert x86(ICE_LAKE) == X86_OFF | AVX2_ON | more


def test_amx_is_never_used_and_the_rest_of_the_processor_is() -> None:
    on = {name: "ON" for name in X86_OFF if "AMX" not in name}
    assert x86(SAPPHIRE_RAPIDS) == X86_OFF | on


def test_avx512_in_part_is_not_avx512() -> None:
    """Xeon Phi has avx512f and avx512cd only, which the compiler flags go beyond."""
    assert x86(HASWELL | {"avx512f", "avx512cd", "avx512_vnni"}) == X86_OFF | AVX2_ON


def test_an_unknown_x86_uses_nothing_that_it_may_not_have() -> None:
    assert x86(set()) == X86_OFF


@pytest.mark.parametrize(
    ("features", "arch"),
    [
        ({"asimd", "asimddp", "asimdhp", "i8mm", "sve"}, "armv8.2-a+dotprod+fp16+i8mm"),
        ({"asimd", "asimddp", "asimdhp"}, "armv8.2-a+dotprod+fp16"),
        ({"asimd"}, "armv8-a"),
    ],
)
def test_arm64_linux(features: set[str], arch: str) -> None:
    flags = cmake_flags(Cpu("Linux", "arm64", frozenset(features)))
    assert flags["GGML_CPU_ARM_ARCH"] == arch
    assert flags["GGML_NATIVE"] == "OFF"
    assert not set(flags) & set(X86_OFF)


def test_apple_runs_on_the_cores_alone() -> None:
    flags = cmake_flags(Cpu("Darwin", "arm64", frozenset({"asimddp", "asimdhp", "i8mm", "bf16"})))
    assert flags["GGML_CPU_ARM_ARCH"] == "armv8.2-a+dotprod+fp16+i8mm"
    assert {flags[name] for name in ("GGML_METAL", "GGML_BLAS", "GGML_ACCELERATE", "GGML_OPENMP")} == {"OFF"}


def test_overrides_win() -> None:
    flags = cmake_flags(Cpu("Darwin", "arm64", frozenset()), parse_overrides("GGML_METAL=ON GGML_CUDA=ON"))
    assert (flags["GGML_METAL"], flags["GGML_CUDA"]) == ("ON", "ON")


@pytest.mark.parametrize("text", ["GGML_METAL", "=ON", "A=", "rm -rf=x"])
def test_an_override_that_is_none_is_named(text: str) -> None:
    with pytest.raises(ValueError, match="BUDGIE_LLAMA_FLAGS: '"):
        parse_overrides(text)


def test_the_include_file_sets_plain_variables_in_order() -> None:
    assert cmake_include({"B": "OFF", "A": "x+y"}) == 'set(A "x+y")\nset(B "OFF")\n'


@given(st.sets(st.sampled_from(sorted(SAPPHIRE_RAPIDS))), st.sets(st.sampled_from(sorted(SAPPHIRE_RAPIDS))))
def test_the_key_differs_exactly_where_the_flags_do(one: set[str], other: set[str]) -> None:
    first, second = (Cpu("Linux", "x86_64", frozenset(features)) for features in (one, other))
    keys = [build_key("0.3.36", cmake_flags(cpu), cpu, "cpython-311") for cpu in (first, second)]
    assert (keys[0] == keys[1]) == (cmake_flags(first) == cmake_flags(second))
    assert keys[0].startswith("0.3.36-")
    assert keys[0].endswith("-linux-x86_64-cpython-311")
