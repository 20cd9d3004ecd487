"""PURE: which configuration keys `tune` turns, and between which values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import yaml

from agent.config.model import FAST, Config

Settings = Mapping[str, Any]
"""Values by key, as ``--set`` takes them."""


@dataclass(frozen=True, slots=True)
class Knob:
    """One key: either a range from ``low`` to ``high`` in steps, or some ``choices``.

    ``log`` takes the range by ratios and has no steps.
    """

    key: str
    low: float = 0.0
    high: float = 0.0
    step: float | None = None
    log: bool = False
    choices: tuple[str, ...] = ()


EXACT = (
    Knob("endpoint.cut_ins", 0.01, 0.3, log=True),
    Knob("endpoint.timeout_ms", 800.0, 3000.0, step=100.0),
    Knob("endpoint.unfinished_timeout_ms", 1000.0, 5000.0, step=200.0),
    Knob("endpoint.least_ms", 160.0, 480.0, step=32.0),
)
"""What recorded silences can answer: when the turn would have been taken for over."""

MOST_THREADS = 4


def live_knobs(config: Config, cores: int) -> tuple[Knob, ...]:
    """What only a replay can answer, on a machine of so many cores."""
    found = [
        Knob("asr.partial_every_ms", choices=("0.0", "250.0", "500.0", "1000.0")),
        Knob("budget.confidence", 0.6, 0.98, step=0.02),
        Knob("tts.pieces.first_words", 2, 8, step=1),
        Knob("tts.pieces.min_chars", 10, 60, step=10),
    ]
    threads = tuple(str(n) for n in range(1, min(cores, MOST_THREADS) + 1))
    if len(threads) > 1:
        found += [
            Knob(key, choices=threads) for key in ("asr.threads", f"seats.{FAST}.threads", "tts.threads")
        ]
    if config.council.seats:
        found.append(
            Knob("council.seats", choices=(_as_yaml(config.council.model_dump(mode="json")["seats"]), "[]"))
        )
    return tuple(_with_own(config, knob) for knob in found)


def _with_own(config: Config, knob: Knob) -> Knob:
    """A choice that also offers what the configuration has."""
    own = present(config, (knob,))[knob.key]
    return replace(knob, choices=(own, *knob.choices)) if knob.choices and own not in knob.choices else knob


def present(config: Config, knobs: Sequence[Knob]) -> dict[str, Any]:
    """The values that the knobs' keys have in ``config``, a choice as its text."""
    whole = config.model_dump(mode="json")
    found: dict[str, Any] = {}
    for knob in knobs:
        value: Any = whole
        for part in knob.key.split("."):
            value = value[part]
        found[knob.key] = _as_yaml(value) if knob.choices else value
    return found


def overrides(settings: Settings) -> list[str]:
    """``KEY=VALUE`` for the loader."""
    return [f"{key}={_text(value)}" for key, value in settings.items()]


def changed(before: Settings, after: Settings) -> dict[str, tuple[Any, Any]]:
    """The keys whose value differs, with both values."""
    return {key: (before[key], value) for key, value in after.items() if before.get(key) != value}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else f"{round(value, 4):g}"


def _as_yaml(value: Any) -> str:
    text: str = yaml.safe_dump(value, default_flow_style=True, width=10**9, sort_keys=False)
    return text.removesuffix("...\n").strip()
