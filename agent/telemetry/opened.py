"""From a configuration to what operators get."""

from __future__ import annotations

from agent.config.load import Loaded
from agent.config.model import FAST
from agent.telemetry.redact import redact, vocabulary
from agent.telemetry.spans import Models
from agent.telemetry.telemetry import Telemetry, open_telemetry


def telemetry_of(loaded: Loaded) -> Telemetry:
    """What operators asked for, with as much of the words as they may have.

    Raises AgentError for a file or a port that cannot be had.
    """
    config, persona = loaded.config, loaded.persona
    settings = config.telemetry
    own = vocabulary([persona.name, persona.role, persona.greeting, persona.safe_sentence, *persona.facts])

    def words(text: str) -> str | None:
        if settings.text == "none" or not text:
            return None
        return redact(text, own) if settings.text == "redacted" else text

    models = Models(config.asr.model, config.seats[FAST].model, config.tts.voice)
    return open_telemetry(settings, models, words)
