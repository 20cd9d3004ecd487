"""Everything prepared for a session, from the configuration: phrases in memory, and the forecaster with its profile."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.compute import Compute
from agent.config.load import Loaded
from agent.config.model import FAST
from agent.controller.forecaster import Forecaster
from agent.controller.quality import Quality, load_quality
from agent.models.places import cache_root
from agent.models.store import Store
from agent.persona import Persona
from agent.prepare.audio_cache import AudioCache
from agent.prepare.config import PrepareConfig
from agent.prepare.fitting import shipped_fit
from agent.prepare.match import Matcher
from agent.prepare.phrases import Phrases, prepare
from agent.prepare.profiles import ProfileStore, profile_key
from agent.prepare.ready import ReadyReplies, Sureness
from agent.prepare.replies import ReplySet, find_replies
from agent.prepare.static import static_texts
from agent.report.machine import machine_facts
from latency_budget.predictor import Predictor
from stages.contract import Voice
from stages.council.fact_fit import FactFit
from stages.tts.pieces import PieceSplitter

Say = Callable[[str], None]
SILENT = {"pieces", "threads", "max_chars", "voice"}
"""Keys of ``tts`` that the sound of a given text does not depend on; the voice's file has its own hash."""


@dataclass(frozen=True)
class Prepared:
    """What a session has ready. ``profiles`` is None where nothing is to be learned."""

    phrases: Phrases | None
    forecaster: Forecaster
    ready: ReadyReplies | None
    bridges: Sequence[str]
    profiles: ProfileStore | None

    def keep(self) -> None:
        """Write down what was learned about this machine."""
        if self.profiles is not None:
            self.profiles.save(self.forecaster.predictor.profile)


async def load_prepared(
    loaded: Loaded, voice: Voice, voice_file: Path, store: Store, compute: Compute, say: Say
) -> Prepared:
    """Speak what is not on disk yet (about 80 ms a phrase, once), and read this machine's profile."""
    config = loaded.config
    root = config.prepare.folder or cache_root() / "prepared"
    replies, phrases = find_replies(config.prepare.replies, config.persona), None
    if config.prepare.phrases:
        texts = static_texts(loaded.persona, replies, lambda: PieceSplitter(config.tts.pieces))
        settings = json.dumps(config.tts.model_dump(mode="json", exclude=SILENT), sort_keys=True)
        cache = AudioCache(
            root / "phrases",
            f"{store.fingerprint(voice_file)} {settings}",
            int(config.prepare.cache_mb * 2**20),
        )
        phrases = await prepare(texts, voice, compute, cache, config.tts.threads)
        if cache.bad:
            say(f"{cache.bad} spoken phrases on disk were damaged; they were spoken anew.")
    profiles = ProfileStore(root)
    profile, note = profiles.load(profile_key(machine_facts(), config))
    if note:
        say(note)
    quality = Quality(config.budget.quality, load_quality(), config.seats[FAST].model)
    forecaster = Forecaster(Predictor(profile), config.budget, quality)
    if beyond := forecaster.beyond_reach(config.endpoint.decide_after_ms, bool(config.council.seats)):
        say(beyond)
    ready = ready_replies(config.prepare, loaded.persona, replies)
    bridges = replies.bridges if replies is not None else ()
    return Prepared(phrases, forecaster, ready, bridges, profiles if config.prepare.learn_profile else None)


def ready_replies(config: PrepareConfig, persona: Persona, replies: ReplySet | None) -> ReadyReplies | None:
    """What may be said without a model, as far as the configuration allows it; None where it allows nothing."""
    if not (config.manners or config.facts or config.likely):
        return None
    fit = shipped_fit()
    return ReadyReplies(
        FactFit(persona.index, fit.weights),
        Matcher(replies) if replies is not None else None,
        Sureness(
            manners=config.manners,
            fact=config.facts_chance if config.facts else None,
            likely=config.likely_chance if config.likely else None,
        ),
        fit.manners_fit,
    )
