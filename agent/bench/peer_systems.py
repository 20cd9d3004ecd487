"""The agents that are compared, with every setting that is not the agent's own default."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from agent.errors import AgentError

Kind = Literal["ours", "pipecat", "livekit"]


@dataclass(frozen=True)
class System:
    """One agent with one set of settings.

    Attributes:
        name: what the command line calls it.
        kind: whose agent it is.
        settings: every setting that differs from the agent's own defaults, in words.
        overrides: ours: keys of the configuration.
        options: theirs: what the glue is told.
        whisper: theirs: the recognition model.
        threads: theirs: threads of numpy's and of OpenMP's pools are set to 1 and to the number of cores.
    """

    name: str
    kind: Kind
    settings: tuple[str, ...]
    overrides: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    whisper: str = "whisper-base"
    threads: bool = False


_MODEL_ONLY = ("prepare.likely=false", "prepare.facts=false", "prepare.manners=false")
_STOCK = {"smart_turn_timeout_s": None, "transcript_time": None, "rate_hz": None, "empty_turns": True}
_TUNED = {"smart_turn_timeout_s": 1.0, "transcript_time": "measured", "rate_hz": 22_050, "empty_turns": False}
_TUNED_WORDS = (
    "smart-turn time-out 1 s (3)",
    "ttfs_p99_latency: slowest of the call's first 8 turns, measured before it begins (1 s)",
    "output at the voice's 22050 Hz (24000)",
    "no reply to a turn without words (one)",
    "OPENBLAS_NUM_THREADS=1, OMP_NUM_THREADS=cores (unset)",
)

SYSTEMS: tuple[System, ...] = (
    System("ours", "ours", ("the default configuration",)),
    System(
        "ours-fast",
        "ours",
        ("the fast seat answers every turn: no likely replies, no facts as they stand, no manners",),
        _MODEL_ONLY,
    ),
    System(
        "ours-accurate",
        "ours",
        ("as ours-fast, with the 1.5B model in that seat",),
        (*_MODEL_ONLY, "seats.fast.model=qwen2.5-coder-1.5b"),
    ),
    System("pipecat", "pipecat", ("its defaults",), options=_STOCK),
    System("pipecat-tuned", "pipecat", _TUNED_WORDS, options=_TUNED, threads=True),
    System(
        "pipecat-quick",
        "pipecat",
        (*_TUNED_WORDS, "Whisper tiny.en (base)"),
        options=_TUNED,
        whisper="whisper-tiny.en",
        threads=True,
    ),
    System(
        "livekit",
        "livekit",
        (
            "its defaults; turn detector v1-mini, the one that runs without an account",
            "no user_away_timeout: callers are not asked whether they are still there",
        ),
    ),
)

SHARED = (
    "the system prompt of the persona, no greeting, its own history",
    "the fast seat's model file behind llama-server (llama.cpp of xllamacpp), threads = cores, prompt read before",
    "temperature 0, as many tokens at most as our fast seat",
    "Whisper int8 on the CPU, language en; the voice en_US-joe-medium",
    "every model was run once before the call",
)
"""What all agents that are not ours are given."""


def chosen(names: Sequence[str] | None) -> list[System]:
    """The systems of these names, in the table's order; all without names. Raises AgentError for an unknown one."""
    known = [system.name for system in SYSTEMS]
    for name in names or ():
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"Did you mean {near[0]}? " if near else ""
            raise AgentError(
                "bench.system", f"--system {name}: there is none.", f"{hint}There are {', '.join(known)}."
            )
    return [system for system in SYSTEMS if not names or system.name in names]
