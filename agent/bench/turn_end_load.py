"""Loads calls and models for ``bench turn-end``, and sorts the calls into recorded and made."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from agent.bench.turn_end_cache import AnswerCache
from agent.bench.turn_end_evidence import Asked, Models, ask_call
from agent.bench.turn_end_rows import rows_of
from agent.calls.load import load_call
from agent.config.model import Config
from agent.errors import AgentError
from agent.models.places import cache_root
from agent.models.store import Store
from stages.endpoint.voice_gate import VoiceThresholds
from stages.registry import engine

RECORDED = "recorded calls"
MADE = "made calls (human words and times, synthetic voices)"

Groups = dict[str, dict[str, list[Asked]]]


def ask_all(paths: Sequence[Path], config: Config, say: Callable[[str], None]) -> Groups:
    """The silences of all calls with the models' answers, by group and call. Raises AgentError, StageError."""
    models, cache = models_of(config), AnswerCache(cache_root() / "turn-end")
    groups: Groups = {}
    for path in paths:
        call = load_call(path)
        say(f"{call.call.name}: {call.seconds:.0f} s, {len(call.turns)} turns of the caller")
        asked = ask_call(call, models, cache)
        groups.setdefault(MADE if call.call.synthetic else RECORDED, {})[call.call.name] = asked
    return groups


def models_of(config: Config) -> Models:
    """The models that the configuration names, as the live agent loads them."""
    store, ends = Store(config.paths.models), config.endpoint
    if ends.text_end.model is None:
        raise AgentError(
            "bench.text_end", "endpoint.text_end.model is null.", "Name a model to compare with."
        )
    asr, text = store.path(config.asr.model), store.path(ends.text_end.model)
    names = f"{config.asr.model_dump_json()} {store.fingerprint(asr)} {ends.text_end.model_dump_json()}"
    return Models(
        activity=lambda: engine("activity", "silero")(ends.vad),
        sound=engine("turn_end", "smart-turn")(ends.smart_turn),
        recogniser=engine("asr", config.asr.engine)(asr, config.asr),
        text=engine("text_end", "llama")(text, ends.text_end.seat()),
        names=f"{names} {store.fingerprint(text)}",
        thresholds=VoiceThresholds(ends.vad_threshold, ends.vad_release, ends.quiet_db),
    )


def write_rows(path: Path, groups: Groups) -> None:
    """The silences as numbers, for the training."""
    rows = [
        row.as_json()
        for group, calls in groups.items()
        for name, asked in calls.items()
        for row in rows_of(name, group == MADE, asked)
    ]
    lines = ",\n".join(json.dumps(row) for row in rows)
    path.write_text(f'{{"rows": [\n{lines}\n]}}\n', encoding="utf-8")
