from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from agent.errors import AgentError
from agent.models import proof
from agent.models.proof import Kernels, LoadSettings, run_child, settings_for
from agent.models.store import Store

MODEL = Path("/models/toy.gguf")


class Scripted:
    """A child that answers what it is told, and remembers what it was asked."""

    def __init__(self, repacked: str = "", plain: str = "") -> None:
        self.answers: dict[Kernels, str] = {"repacked": repacked, "plain": plain}
        self.asked: list[Kernels] = []

    def __call__(self, model: Path, kernels: Kernels) -> str:
        assert model == MODEL
        self.asked.append(kernels)
        return self.answers[kernels]


def ask(file: Path, child: Scripted, *, fingerprint: str = "f", build: str = "b") -> LoadSettings:
    return settings_for(MODEL, fingerprint, build=build, file=file, child=child)


def test_a_good_trial_is_made_once(tmp_path: Path) -> None:
    child, file = Scripted(), tmp_path / "deep" / "proofs.json"
    assert ask(file, child) == LoadSettings(use_extra_bufts=True)
    assert ask(file, child) == LoadSettings(use_extra_bufts=True)
    assert child.asked == ["repacked"]


def test_a_crash_takes_the_safe_setting_and_says_so_each_time(tmp_path: Path) -> None:
    child, file = Scripted(repacked="the trial decode crashed (signal 11)"), tmp_path / "proofs.json"
    safe = LoadSettings(
        use_extra_bufts=False,
        note="toy.gguf runs without repacked weights, more slowly: the trial decode crashed (signal 11)",
    )
    assert ask(file, child) == safe
    assert ask(file, child) == safe
    assert child.asked == ["repacked", "plain"]


def test_another_model_or_build_is_tried_for_itself(tmp_path: Path) -> None:
    child, file = Scripted(), tmp_path / "proofs.json"
    ask(file, child)
    ask(file, child, fingerprint="other")
    ask(file, child, build="other")
    assert child.asked == ["repacked"] * 3
    assert set(json.loads(file.read_text())["proofs"]) == {"f-b", "other-b", "f-other"}


def test_no_setting_works(tmp_path: Path) -> None:
    child, file = Scripted("signal 4", "signal 11"), tmp_path / "proofs.json"
    for _ in range(2):
        with pytest.raises(AgentError) as caught:
            ask(file, child)
        assert caught.value.exit_code == 3
        assert caught.value.message == (
            "/models/toy.gguf cannot be decoded here: signal 4; without repacked weights: signal 11."
        )
    assert child.asked == ["repacked", "plain"] * 2
    assert not file.exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'{"version": 2}',
        b'{"proofs": {"f-b": {"kernels": "fast"}}}',
        b'{"proofs": {"f-b": 1}}',
    ],
)
def test_a_damaged_file_of_proofs_is_not_believed(tmp_path: Path, content: bytes) -> None:
    file, child = tmp_path / "proofs.json", Scripted()
    file.write_bytes(content)
    assert ask(file, child) == LoadSettings(use_extra_bufts=True)
    assert child.asked == ["repacked"]
    assert json.loads(file.read_text())["proofs"]["f-b"]["kernels"] == "repacked"


def test_a_proof_that_cannot_be_kept_is_made_again(tmp_path: Path) -> None:
    blocked, child = tmp_path / "file", Scripted()
    blocked.write_text("a file where a folder should be")
    for _ in range(2):
        assert ask(blocked / "proofs.json", child) == LoadSettings(use_extra_bufts=True)
    assert child.asked == ["repacked"] * 2


def program(tmp_path: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a shell script stand where the child's Python would."""
    fake = tmp_path / "python"
    fake.write_text(f"#!/bin/sh\n{script}\n")
    fake.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(fake))


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("exit 0", ""),
        ("kill -SEGV $$", "the trial decode crashed (signal 11)"),
        ("kill -ILL $$", "the trial decode crashed (signal 4)"),
        ("echo noise >&2; echo 'no such file' >&2; exit 1", "the trial decode failed (no such file)"),
        ("exit 7", "the trial decode failed (exit 7)"),
    ],
)
def test_how_a_child_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, says: str) -> None:
    program(tmp_path, script, monkeypatch)
    assert run_child(MODEL, "repacked") == says


def test_a_child_that_hangs_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, "exec tail -f /dev/null", monkeypatch)
    monkeypatch.setattr(proof, "TIMEOUT_S", 0.05)
    assert run_child(MODEL, "plain") == "no answer within 0 s"


@pytest.mark.models
@pytest.mark.parametrize("kernels", ["repacked", "plain"])
def test_the_real_model_decodes_in_a_real_child(kernels: Kernels) -> None:
    assert run_child(Store().path("smollm2-135m"), kernels) == ""


@pytest.mark.models
def test_a_file_that_is_no_model_fails_in_words(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.gguf"
    wrong.write_bytes(b"GGUF but nothing else")
    assert run_child(wrong, "repacked") == "the trial decode failed (llama.cpp cannot load the file)"


@pytest.mark.models
def test_requantising_gives_the_hash_that_the_manifest_knows(tmp_path: Path) -> None:
    """Checked to be the same with AVX2 only and with AVX-512."""
    from agent.models.files import sha256_of
    from agent.models.requantise import requantise_in_child

    store = Store()
    recipe = store.manifest.get("smollm2-135m").requantise
    assert recipe is not None
    requantise_in_child(store.path(recipe.source), tmp_path / "made.gguf", recipe.type)
    assert (tmp_path / "made.gguf").stat().st_size == recipe.bytes
    if (
        sys.platform == "linux"
        and "x86_64" in subprocess.run(["uname", "-m"], capture_output=True, text=True).stdout
    ):
        assert sha256_of(tmp_path / "made.gguf") == recipe.sha256


@pytest.mark.models
def test_requantising_a_bad_file_ends_in_words(tmp_path: Path) -> None:
    from agent.models.requantise import requantise_in_child

    source = tmp_path / "bad.gguf"
    source.write_bytes(b"not a model")
    with pytest.raises(AgentError, match=r"could not be requantised to Q4_0 .*is no GGUF file") as caught:
        requantise_in_child(source, tmp_path / "out.gguf", "Q4_0")
    assert caught.value.exit_code == 3
