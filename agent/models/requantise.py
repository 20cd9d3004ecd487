"""Requantising in a child process: llama.cpp aborts a program that gives it a bad file.

python -m agent.models.requantise SOURCE TARGET TYPE
"""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from agent.errors import AgentError

TIMEOUT_S = 900.0
"""The 1.5B model takes about ten seconds."""


def llama_version() -> str:
    """Version of llama-cpp-python, or ``"none"``."""
    try:
        return version("llama-cpp-python")
    except PackageNotFoundError:
        return "none"


def requantise_in_child(source: Path, target: Path, type_name: str) -> None:
    """Make ``target`` of ``source``. Raises AgentError (exit 3) with llama.cpp's last words."""
    command = [sys.executable, "-m", "agent.models.requantise", str(source), str(target), type_name]
    root = Path(__file__).resolve().parents[2]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_S,
            check=False,
            cwd=root,
        )
    except subprocess.TimeoutExpired:
        raise AgentError(
            "models.requantise", f"Requantising {source} took over {TIMEOUT_S:.0f} s and was stopped.", "", 3
        ) from None
    if done.returncode != 0 or not target.is_file():
        last = "; ".join(done.stderr.strip().splitlines()[-3:])
        raise AgentError(
            "models.requantise",
            f"{source} could not be requantised to {type_name} (exit {done.returncode}): {last}",
            "Run `make venv`, then `main.py models verify`.",
            3,
        )


def _child() -> int:
    import os

    from stages.council.quantise import quantise
    from stages.errors import StageError

    source, target, type_name = sys.argv[1:]
    try:
        quantise(Path(source), Path(target), type_name, threads=os.cpu_count() or 1)
    except StageError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(_child())
