"""Opening an ONNX model with as few threads as it needs, and finding the models that pipecat-ai carries."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from stages.errors import EnvironmentFault


def bundled(relative: str) -> Path:
    """Path of a model file inside the installed pipecat-ai, found without importing it."""
    spec = find_spec("pipecat")
    places = list(spec.submodule_search_locations or ()) if spec else []
    for place in places:
        path = Path(place) / relative
        if path.is_file():
            return path
    found = "is not installed" if not places else f"has no file {relative}"
    raise EnvironmentFault(
        "model.missing", f"The package pipecat-ai {found}.", 'Install it: pip install "pipecat-ai>=1.14,<2".'
    )


def open_session(path: Path, threads: int) -> Any:
    """An onnxruntime session on the CPU that uses ``threads`` threads and does not spin while idle.

    Raises EnvironmentFault when onnxruntime or the file is missing, or the file is no ONNX model.
    """
    try:
        import onnxruntime
    except ImportError as fault:
        raise EnvironmentFault(
            "library.missing", "onnxruntime is not installed.", "Install it: pip install onnxruntime."
        ) from fault
    if not path.is_file():
        raise EnvironmentFault(
            "model.missing", f"No model file at {path}.", "Check the path, or pull the model."
        )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as fault:  # onnxruntime has a dozen error classes without a public base
        raise EnvironmentFault(
            "model.unreadable", f"{path} is not a model that onnxruntime can read.", "Fetch the file again."
        ) from fault
