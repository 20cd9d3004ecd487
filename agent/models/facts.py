"""Which model files a configuration runs, with their SHA-256: what a figure can be reproduced with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from agent.config.model import FAST, Config
from agent.errors import AgentError
from agent.models.files import sha256_of
from agent.models.record import read_record
from agent.models.store import Store, file_names
from agent.report.facts import ModelFacts


def model_facts(config: Config, store: Store | None = None) -> list[ModelFacts]:
    """The models that are loaded for ``config``, one entry a use. Files without a recorded hash are hashed here.

    A model that is not there has no files: a report is written also where a scripted engine stood in for it.
    """
    store = Store(config.paths.models) if store is None else store
    return [ModelFacts(use=use, name=_shown(name), files=_hashes(store, name)) for use, name in _used(config)]


def _used(config: Config) -> Iterator[tuple[str, str]]:
    """Each use with the model's name, in the order of a turn. A model on a server has no file here."""
    ends = config.endpoint
    yield "voice activity", str(ends.vad.model_path or "silero-vad")
    yield "turn end, sound", str(ends.smart_turn.model_path or "smart-turn-v3.2")
    if ends.text_end.model is not None and ends.decide != "sound":
        yield "turn end, words", ends.text_end.model
    if config.asr.engine != "pipecat":
        yield "recognition", config.asr.model
    for name in dict.fromkeys((FAST, *(seat.member for seat in config.council.seats))):
        if name in config.seats and config.seats[name].engine != "remote":
            yield f"seat {name}", config.seats[name].model
    yield "voice", config.tts.voice


def _shown(name: str) -> str:
    """A name of the manifest; of a path of one's own only the last part, which tells nothing of the machine."""
    return Path(name).name


def _hashes(store: Store, name: str) -> dict[str, str]:
    model = store.manifest.models.get(name)
    try:
        place = store.path(name)
    except AgentError:
        return {}
    if model is not None and model.bundled:
        return {file.name: file.sha256 for file in model.files}
    if model is not None:
        record = read_record(store.root / name)
        known = {} if record is None else record.files
        return {file: known[file].sha256 for file in file_names(model) if file in known}
    files = sorted(one for one in place.iterdir() if one.is_file()) if place.is_dir() else [place]
    return {file.name: sha256_of(file) for file in files}
