"""Start-up of the agent with models cached: imports, loading, warm-up, until a call can be taken.

python -m tools.bench_start [--rounds 3]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time

_START = (
    "import main; main.prepare_environment(debug=False)\n"
    "import asyncio\n"
    "from agent.app import build\n"
    "from agent.config.load import load\n"
    "asyncio.run(build(load())).close()\n"
)


def main() -> None:
    """Print the seconds of each fresh process, from its start until the session is ready and closed again."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    for _ in range(parser.parse_args().rounds):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", _START], check=True)
        sys.stdout.write(f"{time.perf_counter() - start:.2f} s\n")


if __name__ == "__main__":
    main()
