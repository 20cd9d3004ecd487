"""The benchmark of hearing, put together: live runs, single utterances, noise, and a long turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

import numpy as np

from agent.app import Session
from agent.bench.hearing_live import Live, listen
from agent.bench.hearing_noise import Listener, NoiseFigures, made, recorded
from agent.bench.hearing_score import LiveFigures, live_figures
from agent.bench.hearing_words import (
    Utterance,
    WordFigures,
    changes,
    checked_utterances,
    read_all,
    reader,
    whole_window,
)
from agent.calls.load import load_call
from agent.models.store import Store
from stages.asr.wer import normalise, word_errors
from stages.audio.read import read_audio
from stages.contract import RATE_HZ, Audio
from stages.endpoint.silero import SileroVad
from stages.endpoint.voice_gate import VoiceThresholds

GAP_S = 2.5
BABBLE, OFFICE = "livekit-agen_crowded-room.ogg", "dograh_office-ambience-8000-mono.wav"
Say = Callable[[str], None]


class LiveRun(LiveFigures):
    """A live run by its name; ``wer_percent`` where its words are known."""

    name: str
    wer_percent: float | None


class HearingReport(TypedDict):
    """All figures."""

    live: list[LiveRun]
    words: list[WordFigures]
    noise: list[NoiseFigures]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to measure. ``folder`` holds utterances/ and noise/; ``calls`` are heard for ``seconds`` each."""

    folder: Path
    calls: Sequence[Path]
    seconds: float
    noise_minutes: float
    parts: frozenset[str]


async def measure(session: Session, wanted: Wanted, say: Say) -> HearingReport:
    """Run what is wanted, one after the other."""
    utterances = checked_utterances(wanted.folder / "utterances")
    report = HearingReport(live=[], words=[], noise=[])
    if "live" in wanted.parts:
        say("Live: utterances ...")
        report["live"].append(await _utterances_live(session, utterances))
        for path in wanted.calls:
            say(f"Live: {path} ...")
            caller = load_call(path).caller[: round(wanted.seconds * RATE_HZ)]
            report["live"].append(_named(path.name, await listen(session, caller), None))
    if "words" in wanted.parts:
        report["words"] = list(_words(session, wanted.folder / "noise", utterances, say))
    if "noise" in wanted.parts:
        report["noise"] = list(_noise(session, wanted, say))
    return report


async def _utterances_live(session: Session, utterances: list[Utterance]) -> LiveRun:
    gap = np.zeros(round(GAP_S * RATE_HZ), dtype=np.float32)
    caller = np.concatenate([part for one in utterances for part in (gap, one.audio)])
    live = await listen(session, caller)
    spoken = [word for one in utterances for word in one.words]
    return _named("utterances in a row", live, spoken)


def _named(name: str, live: Live, spoken: list[str] | None) -> LiveRun:
    heard = [word for _, _, _, text in live.ended for word in normalise(text)]
    wer = None if spoken is None else round(100.0 * word_errors(spoken, heard) / len(spoken), 1)
    return LiveRun(name=name, wer_percent=wer, **live_figures(live))


def _words(session: Session, noise: Path, utterances: list[Utterance], say: Say) -> list[WordFigures]:
    config, vad = session.config.asr, SileroVad(session.config.endpoint.vad)
    ours = reader(session.engines.recogniser)
    theirs = whole_window(
        Store(session.config.paths.models).path(config.model), config.threads, config.compute_type
    )
    sounds: dict[str, Audio] = {
        name: read_audio(noise / file, end_s=30.0).samples
        for name, file in (("babble", BABBLE), ("office", OFFICE))
        if (noise / file).is_file()
    }
    say("Words: the 30 s window ...")
    found = [read_all("30 s window", utterances, lambda audio: audio, theirs, vad)]
    for name, change in changes(sounds):
        say(f"Words: {name} ...")
        found.append(read_all(name, utterances, change, ours, vad))
    return found


def _noise(session: Session, wanted: Wanted, say: Say) -> list[NoiseFigures]:
    ends = session.config.endpoint
    limits = VoiceThresholds(ends.vad_threshold, ends.vad_release, ends.quiet_db)
    listener = Listener(SileroVad(ends.vad), session.engines.recogniser, limits)
    found = []
    for sounds in (recorded(wanted.folder / "noise"), made(wanted.noise_minutes)):
        for name, audio in sounds:
            say(f"Noise: {name} ...")
            found.append(listener.listen(name, audio))
    return found
