"""Proving that a model decodes on this build and processor, once, in a child process that may crash.

Some builds die by a signal at the first decode on some processors (AMX); in the agent that would be a dead call.

    python -m agent.models.proof MODEL repacked|plain
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agent.errors import AgentError
from agent.models.files import write_text_atomically
from agent.models.llama_build import build_id
from agent.models.places import cache_root

TIMEOUT_S = 180.0
"""Far beyond what loading and 33 tokens take (0.3 s for the 135M model, 1.5 s for the 0.5B); a hang is a failure."""

Kernels = Literal["repacked", "plain"]
Child = Callable[[Path, Kernels], str]
"""Runs the decode in a child; returns "" when it went well, else what happened."""


class Proof(BaseModel):
    """What came of one trial."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kernels: Kernels = Field(description="the setting that works")
    failed: str = Field("", description="what happened with the quicker setting, if it failed")


class Proofs(BaseModel):
    """All trials so far, by model, build and processor."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: Literal[1] = Field(1, description="version of this file")
    proofs: dict[str, Proof] = Field(default_factory=dict, description="trials by model and build")


@dataclass(frozen=True, slots=True)
class LoadSettings:
    """How to load a model safely.

    ``use_extra_bufts`` is llama.cpp's switch for repacked weights (and AMX). ``note`` is a line for the user when
    the safe setting had to be taken, else empty.
    """

    use_extra_bufts: bool
    note: str = ""


def settings_for(
    model: Path,
    fingerprint: str,
    *,
    build: str | None = None,
    file: Path | None = None,
    child: Child | None = None,
) -> LoadSettings:
    """How to load ``model`` (a GGUF file), tried in a child process the first time and remembered.

    ``fingerprint`` tells the model's content (``Store.fingerprint``). Raises AgentError (exit 3) when no setting
    works; that is not remembered.
    """
    build = build_id() if build is None else build
    file = cache_root() / "proofs.json" if file is None else file
    key = f"{fingerprint}-{build}"
    proof = _read(file).proofs.get(key)
    if proof is None:
        proof = _try(model, child or run_child)
        # Read again: another start may have written meanwhile.
        _write(file, Proofs(proofs=_read(file).proofs | {key: proof}))
    note = f"{model.name} runs without repacked weights, more slowly: {proof.failed}" if proof.failed else ""
    return LoadSettings(use_extra_bufts=proof.kernels == "repacked", note=note)


def _try(model: Path, child: Child) -> Proof:
    failed = child(model, "repacked")
    if not failed:
        return Proof(kernels="repacked")
    again = child(model, "plain")
    if not again:
        return Proof(kernels="plain", failed=failed)
    raise AgentError(
        "models.unproven",
        f"{model} cannot be decoded here: {failed}; without repacked weights: {again}.",
        "Run `main.py models verify`; if that is well, rebuild llama.cpp: make clean venv.",
        3,
    )


def run_child(model: Path, kernels: Kernels) -> str:
    """Decode a few tokens in a child process; what happened if it did not end well."""
    command = [sys.executable, "-m", "agent.models.proof", str(model), kernels]
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
        return f"no answer within {TIMEOUT_S:.0f} s"
    if done.returncode == 0:
        return ""
    if done.returncode < 0:
        return f"the trial decode crashed (signal {-done.returncode})"
    last = done.stderr.strip().splitlines()[-1:] or [f"exit {done.returncode}"]
    return f"the trial decode failed ({last[0]})"


def _read(file: Path) -> Proofs:
    try:
        return Proofs.model_validate_json(file.read_bytes())
    except (OSError, ValidationError):
        return Proofs()


def _write(file: Path, proofs: Proofs) -> None:
    try:
        write_text_atomically(file, proofs.model_dump_json(indent=1))
    except OSError:
        return  # nothing is lost but the time of another trial


def _decode(model_path: str, *, use_extra_bufts: bool) -> None:
    """Load, read 32 tokens in one batch (the path that crashed), then one more."""
    import llama_cpp as ll

    params = ll.llama_model_default_params()
    params.use_extra_bufts = use_extra_bufts
    params.n_gpu_layers = 0
    model = ll.llama_model_load_from_file(model_path.encode(), params)
    if not model:
        raise RuntimeError("llama.cpp cannot load the file")
    settings = ll.llama_context_default_params()
    settings.n_ctx, settings.n_batch, settings.n_threads, settings.n_threads_batch = 64, 32, 1, 1
    context = ll.llama_init_from_model(model, settings)
    if not context:
        raise RuntimeError("llama.cpp cannot make a context")
    token = max(0, ll.llama_vocab_bos(ll.llama_model_get_vocab(model)))
    for first, count in ((0, 32), (32, 1)):
        batch = ll.llama_batch_init(count, 0, 1)
        batch.n_tokens = count
        for i in range(count):
            batch.token[i], batch.pos[i], batch.n_seq_id[i] = token, first + i, 1
            batch.seq_id[i][0], batch.logits[i] = 0, int(i == count - 1)
        if code := ll.llama_decode(context, batch):
            raise RuntimeError(f"llama_decode gave {code}")
        ll.llama_batch_free(batch)


def _child() -> int:
    path, kernels = sys.argv[1:]
    try:
        _decode(path, use_extra_bufts=kernels == "repacked")
    except RuntimeError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(_child())
