"""Making a smaller or quicker GGUF of another one with llama.cpp's own quantiser.

Q4_0 has repacked kernels on a CPU where Q4_1 and the K-quants of a narrow model have none.
"""

from __future__ import annotations

from pathlib import Path

from stages.errors import EnvironmentFault, InputError

TYPES = ("Q4_0", "Q8_0")
"""The types that have repacked kernels on a CPU."""


def quantise(source: Path, target: Path, type_name: str, *, threads: int = 1) -> None:
    """Write ``source`` (GGUF, any quantisation) as ``target`` of the given type.

    Takes seconds, and memory of about one tensor. What is already quantised is read back first, so a little is lost
    twice. Raises InputError for an unknown type or an unreadable source, EnvironmentFault when writing fails.
    """
    if type_name not in TYPES:
        raise InputError(
            "model.type", f"{type_name} is no type to requantise to.", f"Known: {', '.join(TYPES)}."
        )
    with source.open("rb") as head:
        if head.read(4) != b"GGUF":
            raise InputError("model.not_gguf", f"{source} is no GGUF file.")
    import llama_cpp

    params = llama_cpp.llama_model_quantize_default_params()
    params.ftype = getattr(llama_cpp, f"LLAMA_FTYPE_MOSTLY_{type_name}")
    params.allow_requantize = True
    params.nthread = threads
    failed = llama_cpp.llama_model_quantize(str(source).encode(), str(target).encode(), params)
    if failed:
        raise EnvironmentFault("model.quantise", f"llama.cpp could not requantise {source} to {type_name}.")
