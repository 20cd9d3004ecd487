"""The processes of a peer's run: llama-server, and the glue around the agent. Each run has fresh ones."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from agent.errors import AgentError

ROOT = Path(__file__).resolve().parents[2]
START_S = 60.0
"""A server that has not told its address after this long will not."""
WARM_S = 300.0
_POOLS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "OMP_WAIT_POLICY")
"""What our own command line sets: an agent as it comes runs without."""


def surroundings(pools: Mapping[str, str]) -> dict[str, str]:
    """The environment of a peer: ours without our thread settings, offline, and ``pools`` on top."""
    kept = {key: value for key, value in os.environ.items() if key not in _POOLS}
    kept |= {"HF_HUB_OFFLINE": "1", "LOGURU_LEVEL": "WARNING", "PIPECAT_LOG_LLM_CONTEXT": "off"}
    return kept | {"PYTHONPATH": str(ROOT), **pools}


def run_to_end(command: list[str], log: Path, env: Mapping[str, str], what: str) -> None:
    """Run one process; what it prints goes to ``log``. Raises AgentError if it fails."""
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, cwd=ROOT, env=dict(env))
        try:
            code = process.wait()
        except BaseException:
            process.kill()
            process.wait()
            raise
    if code:
        lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        raise AgentError(
            "bench.peer_failed", f"{what} ended with {code}: {lines[-1] if lines else 'it said nothing'}",
            f"All of its output is in {log}.", 3,
        )  # fmt: skip


@contextmanager
def llama_server(python: Path, model: Path, threads: int, context: int, log: Path) -> Iterator[str]:
    """llama-server on ``model``; gives its address.

    Raises:
        AgentError: it does not start.
    """
    command = [
        str(python),
        "-m",
        "agent.bench.peer_server",
        str(model),
        str(threads),
        str(context),
    ]
    with log.open("wb") as errors:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=ROOT,
            env=surroundings({}),
            text=True,
        )
        try:
            yield _address(process, log)
        finally:
            process.kill()
            process.wait()


def _address(process: subprocess.Popen[str], log: Path) -> str:
    found: list[str] = []
    out = process.stdout
    assert out is not None

    def read(lines: IO[str]) -> None:
        found.extend(line.strip() for line in iter(lines.readline, "") if line.startswith("http"))

    reader = threading.Thread(target=read, args=(out,), daemon=True)
    reader.start()
    for _ in range(int(START_S * 10)):
        if found:
            return found[0]
        reader.join(0.1)
        if process.poll() is not None:
            break
    raise AgentError(
        "bench.peer_server", "llama-server did not start.", f"What it said is in {log}.", exit_code=3
    )


def read_prompt(server: str, prompt: str) -> None:
    """Have the server read the system prompt, so that the first turn finds it in the cache, as ours does."""
    messages = [{"role": "system", "content": prompt}, {"role": "user", "content": "Hello."}]
    request = urllib.request.Request(
        f"{server}/chat/completions",
        json.dumps({"messages": messages, "max_tokens": 4}).encode(),
        {"Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=WARM_S) as answer:
            answer.read()
    except (urllib.error.URLError, TimeoutError) as error:
        raise AgentError(
            "bench.peer_server", f"llama-server at {server} does not answer: {error}.", "Run it again.", 3
        ) from error
