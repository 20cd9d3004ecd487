"""Budgie's command line: ``python main.py --help``."""

from __future__ import annotations

import os
import sys


def prepare_environment(*, debug: bool) -> None:
    """Set what libraries read once, when they are first imported.

    One thread for numpy's own pools: with theirs spinning, a turn-end prediction took 86-116 ms instead of
    43-61 ms.
    Threads of OpenMP sleep while they wait: spinning, two of them on two busy cores read half as fast and now and
    then stand still for seconds (docs/decisions/0001-llama-build.md).
    pipecat logs whole conversations to stderr at DEBUG unless loguru was told otherwise before.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    os.environ.setdefault("LOGURU_LEVEL", "DEBUG" if debug else "ERROR")
    os.environ.setdefault("PIPECAT_LOG_LLM_CONTEXT", "off")


def main() -> int:
    """Run one command and return its exit code."""
    debug = "--debug" in sys.argv or os.environ.get("BUDGIE_DEBUG", "") not in ("", "0")
    prepare_environment(debug=debug)
    try:
        from agent.cli.app import run
    except ModuleNotFoundError as exc:
        sys.stderr.write(
            f"error: the package {exc.name} is not installed for {sys.executable}.\n"
            "hint: run `make venv` once, then `.venv/bin/python main.py`.\n"
        )
        return 3
    return run(sys.argv[1:], debug=debug)


if __name__ == "__main__":
    sys.exit(main())
