"""Runs one agent on one call, and keeps the result on disk."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError

from agent.bench.peer_log import SAMPLES, Job
from agent.bench.peer_process import ROOT, llama_server, read_prompt, run_to_end, surroundings
from agent.bench.peer_score import read_played, score
from agent.bench.peer_steps import Step
from agent.config.load import Loaded, load
from agent.models.store import Store
from agent.replay.stereo import both_voices
from agent.report.facts import Section
from agent.report.machine import machine_facts
from agent.report.schema import Report
from agent.report.write import write_report, write_whole
from stages.audio.write import write_wav

FAST = "fast"
CONTEXT = 4096
"""Tokens of llama-server's context."""
CALLER = "caller.i16"


class Done(Section):
    """One finished run. ``found`` are settings that the glue measured itself."""

    fingerprint: str
    system: str
    call: str
    round: int
    found: dict[str, Any]
    report: Report


class Runner:
    """Runs steps in folders under ``out``.

    Args:
        config: the configuration's file, None for the shipped one.
        channel: the caller's channel of plain stereo recordings.
        python: that of the other agents' environment; None where only ours are run.
    """

    def __init__(
        self, out: Path, config: Path | None, channel: int | None, loaded: Loaded, python: Path | None
    ) -> None:
        self._out, self._config, self._channel = out, config, channel
        self._loaded, self._python = loaded, python
        self._machine = machine_facts().model_dump_json()

    def kept(self, step: Step) -> Done | None:
        """The result of an earlier run of the same on the same machine, if there is one."""
        try:
            done = Done.model_validate_json((self._out / step.folder / "run.json").read_bytes())
        except (OSError, ValidationError):
            return None
        return done if done.fingerprint == self._fingerprint(step) else None

    def run(self, step: Step) -> Done:
        """Run one agent on one call, in real time. Raises AgentError if it fails."""
        folder = self._out / step.folder
        folder.mkdir(parents=True, exist_ok=True)
        found: dict[str, Any] = {}
        if step.system.kind == "ours":
            report = self._ours(step, folder)
        else:
            report, found = self._theirs(step, folder)
        done = Done(
            fingerprint=self._fingerprint(step),
            system=step.system.name,
            call=step.subject.planned.name,
            round=step.round,
            found=found,
            report=report,
        )
        write_whole(folder / "run.json", done.model_dump_json() + "\n")
        return done

    def _ours(self, step: Step, folder: Path) -> Report:
        """By the command line that everybody uses."""
        command = [sys.executable, str(ROOT / "main.py"), "replay", str(step.subject.path.resolve())]
        command += ["--out", str(folder.resolve())]
        command += ["--config", str(self._config.resolve())] if self._config is not None else []
        command += ["--caller-channel", str(self._channel)] if self._channel is not None else []
        for override in step.system.overrides:
            command += ["--set", override]
        run_to_end(command, folder / "run.log", os.environ, step.system.name)
        return Report.model_validate_json((folder / "report.json").read_bytes())

    def _theirs(self, step: Step, folder: Path) -> tuple[Report, dict[str, Any]]:
        assert self._python is not None
        cores = str(machine_facts().cores)
        pools = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": cores} if step.system.threads else {}
        own = str(self._python) if step.system.kind == "livekit" else sys.executable
        seat = Store(self._loaded.config.paths.models).path(self._loaded.config.seats[FAST].model)
        with llama_server(self._python, seat, int(cores), CONTEXT, folder / "server.log") as server:
            read_prompt(server, self._loaded.persona.system_prompt())
            self._job(step, folder.resolve(), server).save(folder / "job.json")
            command = [own, "-m", f"agent.bench.peer_{step.system.kind}", str(folder.resolve() / "job.json")]
            run_to_end(command, folder / "run.log", surroundings(pools), step.system.name)
        run = read_played(folder, self._loaded.config.replay.device_latency_ms)
        report = score(step.subject.call, step.subject.planned, run, self._loaded, step.system.name)
        write_report(report, folder / "report.json")
        heard = both_voices(step.subject.planned.caller, run.blocks, run.rate_hz)
        write_wav(folder / "call.wav", heard, run.rate_hz)
        for name in (CALLER, SAMPLES):
            (folder / name).unlink()  # call.wav has both
        return report, run.settings

    def _job(self, step: Step, folder: Path, server: str) -> Job:
        config, store = self._loaded.config, Store(self._loaded.config.paths.models)
        voice = store.path(config.tts.voice)
        loud = np.clip(step.subject.planned.caller, -1.0, 1.0 - 1.0 / 32768.0) * 32768.0
        loud.astype(np.int16).tofile(folder / CALLER)
        return Job(
            caller=folder / CALLER,
            out=folder,
            prompt=self._loaded.persona.system_prompt(),
            whisper=store.path(step.system.whisper),
            voice=voice if voice.is_file() else next(voice.glob("*.onnx")),
            server=server,
            max_tokens=config.seats[FAST].max_tokens,
            spoken_s=[(turn.start_ms / 1000.0, turn.end_ms / 1000.0) for turn in step.subject.planned.turns],
            options=step.system.options,
        )

    def _fingerprint(self, step: Step) -> str:
        """Of the caller's sound and labels, the settings, the packages and the machine."""
        subject, system = step.subject, step.system
        ours = load(self._config, system.overrides).sha256()
        settings = [ours, dict(system.options), system.whisper, system.threads, str(self._python)]
        digest = hashlib.sha256(f"{self._machine} {json.dumps(settings)} {subject.planned.turns}".encode())
        digest.update(subject.planned.caller.tobytes())
        return digest.hexdigest()
