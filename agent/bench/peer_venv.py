"""The environment of the other agents' packages, made once: Budgie itself needs none of them."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from agent.errors import AgentError
from agent.models.places import cache_root

REQUIREMENTS = Path(__file__).resolve().parents[2] / "requirements" / "peers.txt"


def peer_python(say: Callable[[str], None]) -> Path:
    """The Python of an environment with exactly the pinned packages; makes it if it is not there.

    Raises:
        AgentError: the packages cannot be installed.
    """
    pins = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()[:12]
    folder = cache_root() / "peers" / f"{pins}-py{sys.version_info.major}{sys.version_info.minor}"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if (folder / "complete").is_file():
        return python
    say(f"Making an environment for the other agents in {folder} (about 250 MB to download) ...")
    shutil.rmtree(folder, ignore_errors=True)
    _run([sys.executable, "-m", "venv", str(folder)])
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "-q"]
    _run([*pip, "--only-binary", ":all:", "--require-hashes", "-r", str(REQUIREMENTS)])
    (folder / "complete").touch()
    return python


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        why = (done.stderr.strip() or done.stdout.strip() or "no reason given").splitlines()[-1]
        raise AgentError(
            "bench.peer_packages",
            f"The other agents' packages could not be installed: {why}",
            "Check the network, or leave them out: --system ours --system ours-fast.",
            3,
        )
