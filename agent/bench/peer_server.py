"""llama-server on one model, until standard input closes. Prints its address.

PEERS_PYTHON -m agent.bench.peer_server MODEL.gguf THREADS CONTEXT
"""

from __future__ import annotations

import importlib
import sys
from typing import Any


def serve(model: str, threads: int, context: int) -> Any:
    """The server of the xllamacpp package, which is llama.cpp's own."""
    xllamacpp = importlib.import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path, params.n_ctx, params.n_parallel = model, context, 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    return xllamacpp.Server(params)


if __name__ == "__main__":
    server = serve(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    sys.stdout.write(f"{server.listening_address}/v1\n")
    sys.stdout.flush()
    sys.stdin.read()
