"""Is this text, or did the recogniser invent it? Pure: numbers in, a reason out."""

from __future__ import annotations

from dataclasses import dataclass

from stages.asr.config import GateConfig
from stages.asr.tail import longest_run


@dataclass(frozen=True, slots=True)
class Reading:
    """What the decoder gave: text, no-speech probability in [0, 1], mean log-probability of its tokens."""

    text: str
    no_speech: float
    mean_logprob: float


@dataclass(frozen=True, slots=True)
class VoiceFound:
    """How much of the audio a voice-activity model took for voice: milliseconds, and share of all windows.

    ``mean`` is the mean probability of the voiced windows.
    """

    voiced_ms: float
    share: float
    mean: float = 1.0


def too_quiet(level_dbfs: float, gate: GateConfig) -> bool:
    """True when the audio's loudest 20 ms are too faint to be worth decoding."""
    return level_dbfs < gate.level_dbfs


def text_fault(reading: Reading, gate: GateConfig) -> str | None:
    """Why the text alone gives it away as invented, or None."""
    if not any(letter.isalnum() for letter in reading.text):
        return "no_words"
    if reading.no_speech > gate.no_speech:
        return "no_speech"
    heard_speech = reading.no_speech <= gate.sure_no_speech
    # A decoder that stumbles over real speech repeats itself as well: then one of the repeats is kept.
    if longest_run(reading.text) >= gate.repeats and not heard_speech:
        return "repetition"
    if reading.mean_logprob < (gate.speech_logprob if heard_speech else gate.logprob):
        return "low_score"
    return None


def is_sure(reading: Reading, gate: GateConfig) -> bool:
    """True when the decoder is so sure of its text that nobody need look for voice in the audio."""
    return reading.no_speech <= gate.sure_no_speech and reading.mean_logprob >= gate.sure_logprob


def voice_fault(voice: VoiceFound, gate: GateConfig) -> str | None:
    """Why audio under unsure text is no speech, or None."""
    if voice.voiced_ms < gate.voiced_ms or voice.share < gate.voiced_share:
        return "no_voice"
    return None


def may_be_steady(reading: Reading, range_db: float, gate: GateConfig) -> bool:
    """True when text may come from a room full of voices: unsure of it, and the level of the audio hardly moves."""
    return range_db < gate.steady_db and reading.mean_logprob < gate.steady_logprob


def steady_fault(voice: VoiceFound, gate: GateConfig) -> str | None:
    """Why audio that :func:`may_be_steady` is nobody's turn, or None.

    A voice near the telephone stands out of the noise around it also for the voice-activity model.
    """
    return "babble" if voice.mean < gate.steady_voice else None
