"""llama.cpp, the models, ffmpeg's formats and the sound card."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Callable, Collection
from typing import Any

from agent.doctor.check import Check
from agent.models.llama_build import build_flags, library_folder
from agent.models.requantise import llama_version
from agent.models.store import Store

FORMATS = ("aac", "alac", "flac", "mp3", "opus", "pcm_alaw", "pcm_mulaw", "vorbis", "wmav2")
"""Decoders of the recordings that people have; WAV needs none of them."""

_ASK = "import llama_cpp; print(llama_cpp.llama_print_system_info().decode())"

Import = Callable[[str], Any]


def ask_llama() -> str:
    """What the installed llama.cpp says of itself, asked in a child; an empty text when it cannot be loaded."""
    command = [sys.executable, "-c", _ASK]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def llama(ask: Callable[[], str] = ask_llama) -> Check:
    """The installed llama.cpp: version, and what it was built to use."""
    if library_folder() is None:
        return Check("llama.cpp", "fault", "not installed", "Run: make venv")
    said = ask()
    if not said:
        fix = "Built for another processor or broken. Run: make clean venv"
        return Check("llama.cpp", "fault", f"{llama_version()} cannot be loaded", fix)
    uses = " ".join(
        part.split(" = ")[0].strip().split(": ")[-1] for part in said.split("|") if " = 1" in part
    )
    found = f"llama-cpp-python {llama_version()}: {uses}"
    if build_flags() is None:
        return Check("llama.cpp", "note", found, "Not built by `make venv`, which fits it to this processor.")
    return Check("llama.cpp", "ok", found)


def models(store: Store) -> tuple[Check, int]:
    """The default models, and the bytes that are still to be fetched."""
    names = [*store.manifest.default_names(), *(n for n, m in store.manifest.models.items() if m.bundled)]
    wrong = [status for status in map(store.check, names) if status.state != "ok"]
    missing = sum(store.manifest.get(status.name).size_bytes for status in wrong)
    if not wrong:
        return Check("models", "ok", f"{len(names)} in place, folder {store.root}"), 0
    found = ", ".join(f"{status.name} {status.state}" for status in wrong)
    return Check("models", "fault", found, "Run: make models (or main.py models pull)"), missing


def formats(available: Collection[str] | None = None) -> Check:
    """The audio formats that PyAV's ffmpeg can read."""
    if available is None:
        try:
            available = importlib.import_module("av").codecs_available
        except ImportError as error:
            return Check("audio formats", "fault", f"PyAV cannot be loaded: {error}", "Run: make clean venv")
    lacking = [name for name in FORMATS if name not in available]
    if lacking:
        fix = "Convert such files to WAV or FLAC."
        return Check("audio formats", "note", f"ffmpeg without {' '.join(lacking)}", fix)
    return Check("audio formats", "ok", f"WAV, and by ffmpeg: {' '.join(FORMATS)}")


def sound(load: Import = importlib.import_module) -> Check:
    """The sound card: only a live talk needs one."""
    fix = "Replay needs none; a live talk does: sounddevice, and PortAudio (apt-get install libportaudio2)."
    try:
        devices = load("sounddevice").query_devices()
    except (ImportError, OSError) as error:
        # OSError: the package is there and PortAudio's library is not.
        return Check("sound card", "note", f"not usable: {error}", fix)
    inputs = sum(device["max_input_channels"] > 0 for device in devices)
    outputs = sum(device["max_output_channels"] > 0 for device in devices)
    found = f"{inputs} to record from, {outputs} to play to"
    return Check("sound card", "ok", found) if inputs and outputs else Check("sound card", "note", found, fix)
