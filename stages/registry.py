"""The engines that can be chosen by name. Each is imported when it is asked for, not before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeVar

from stages.errors import EnvironmentFault, InputError

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """One engine: ``module:attribute`` of its class, and what to type when a package of its is missing."""

    target: str
    install: str


ENGINES: dict[str, dict[str, EngineSpec]] = {
    "activity": {
        "silero": EngineSpec(
            "stages.endpoint.silero:SileroVad", 'pip install "pipecat-ai>=1.14,<2" onnxruntime'
        ),
        "fake": EngineSpec("stages.fakes:FakeActivity", ""),
    },
    "turn_end": {
        "smart-turn": EngineSpec(
            "stages.endpoint.smart_turn:SmartTurn", 'pip install "pipecat-ai>=1.14,<2" onnxruntime'
        ),
        "fake": EngineSpec("stages.fakes:FakeTurnEnd", ""),
    },
    "text_end": {
        "llama": EngineSpec(
            "stages.endpoint.text_end:TextEnd", "make install (llama.cpp is built for this CPU)"
        ),
        "fake": EngineSpec("stages.fakes:FakeTextEnd", ""),
    },
    "asr": {
        "whisper": EngineSpec("stages.asr.whisper:WhisperRecogniser", 'pip install "faster-whisper>=1.2,<2"'),
        "fake": EngineSpec("stages.fakes:FakeRecogniser", ""),
    },
    "seat": {
        "llama": EngineSpec(
            "stages.council.seat:LlamaSeat", "make install (llama.cpp is built for this CPU)"
        ),
        "remote": EngineSpec("stages.council.remote:RemoteSeat", ""),
        "fake": EngineSpec("stages.fakes:FakeSeat", ""),
    },
    "voice": {
        "piper": EngineSpec("stages.tts.piper_voice:PiperVoice", 'pip install "piper-tts>=1.8,<2"'),
        "fake": EngineSpec("stages.fakes:FakeVoice", ""),
    },
}


def engine(kind: str, name: str) -> Callable[..., Any]:
    """The class of the engine ``name`` of ``kind``, imported now.

    Raises InputError with the choices for an unknown kind or name, EnvironmentFault with what to install when a
    package is missing.
    """
    spec = _choose(_choose(ENGINES, kind, "kind of engine"), name, f"{kind} engine")
    module, _, attribute = spec.target.partition(":")
    try:
        found: Callable[..., Any] = getattr(import_module(module), attribute)
    except ImportError as fault:
        raise EnvironmentFault(
            "library.missing", f"The {kind} engine {name} needs {fault.name}.", f"Install it: {spec.install}."
        ) from fault
    return found


def _choose(table: dict[str, _T], name: str, what: str) -> _T:
    if name not in table:
        raise InputError(
            "engine.unknown", f"There is no {what} {name!r}.", f"Choose from: {', '.join(table)}."
        )
    return table[name]
