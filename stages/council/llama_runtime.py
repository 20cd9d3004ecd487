"""llama.cpp, started once for the whole process."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from stages.errors import EnvironmentFault


@cache
def llama() -> Any:
    """The low-level llama_cpp module with its backend up and its log switched off.

    The cache also keeps the log callback referenced: llama.cpp calls it at any time, and crashes if it was freed.
    Raises EnvironmentFault when llama-cpp-python is missing or does not load on this CPU.
    """
    try:
        import llama_cpp
    except (ImportError, OSError, RuntimeError) as fault:
        raise EnvironmentFault(
            "library.missing", f"llama-cpp-python cannot be loaded: {fault}.", "Build it: make install."
        ) from fault
    llama_cpp.llama_log_set(_quiet(llama_cpp), ctypes.c_void_p(0))
    llama_cpp.llama_backend_init()
    return llama_cpp


@cache
def _quiet(llama_cpp: Any) -> Any:
    return llama_cpp.llama_log_callback(lambda level, text, data: None)
