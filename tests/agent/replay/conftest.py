"""Short made calls and the command line as a person runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.calls.make import default_voices, make_call

ROOT = Path(__file__).resolve().parents[3]

SCRIPT = """\
name: short
seed: 3
lead_in_s: 0.5
tail_s: 2.0
noise: {kind: white, snr_db: 30}
lines:
  - caller: When are you open on Saturdays?
  - agent: On Saturdays we are open from ten to two.
    gap_s: 1.0
  - caller: And where is your branch?
    gap_s: 1.0
  - agent: The branch is at twelve Market Street.
    gap_s: 1.0
  - caller: Thank you very much. Goodbye.
    gap_s: 1.0
"""


@pytest.fixture(scope="session")
def short_call(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A made call of three turns, with exact labels."""
    folder = tmp_path_factory.mktemp("short")
    script = folder / "short.yaml"
    script.write_text(SCRIPT)
    make_call(script, folder / "short.wav", default_voices(3))
    return folder / "short.call.json"


def main_py(*args: str, **env: str) -> subprocess.Popen[str]:
    """Start the command line in a process of its own."""
    return subprocess.Popen(
        [sys.executable, str(ROOT / "main.py"), *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | env,
        cwd=ROOT,
    )


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run_main() -> Run:
    """Run the command line to its end: exit code, stdout, stderr."""

    def run(*args: str, **env: str) -> tuple[int, str, str]:
        process = main_py(*args, **env)
        out, err = process.communicate(timeout=180)
        return process.returncode, out, err

    return run
