"""Recognition on single utterances: word errors as they are, beside the 30 s window, in noise, quiet and distorted."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypedDict

import numpy as np

from agent.bench.hearing_score import Spread, spread
from agent.reading import PRE_ROLL_MS, TAIL_MS
from stages.asr.wer import normalise, word_errors
from stages.audio.dc import DcBlocker
from stages.audio.mix import at_level, mix_at_snr
from stages.audio.read import read_audio
from stages.audio.resample import resample
from stages.audio.telephone import mulaw_decode, mulaw_encode
from stages.contract import RATE_HZ, WINDOW_SAMPLES, Audio, Recogniser, VoiceActivity

Change = Callable[[Audio], Audio]
BLOCK = RATE_HZ // 50
INT16 = 32768.0
CLIP_GAIN = 8.0


class WordFigures(TypedDict):
    """One way on all utterances. ``unheard``: no voice was found, or no text came."""

    way: str
    utterances: int
    words: int
    errors: int
    wer_percent: float
    unheard: int
    ms: Spread


@dataclass(frozen=True, slots=True)
class Utterance:
    """One utterance (16 kHz) with its words."""

    audio: Audio
    words: list[str]


def checked_utterances(folder: Path) -> list[Utterance]:
    """Those of ``folder`` (with its index.json) whose text was checked by ear."""
    index = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    return [
        Utterance(read_audio(folder / entry["file"]).samples, normalise(entry["text"]))
        for entry in index
        if entry.get("text_checked")
    ]


def read_all(
    way: str, utterances: list[Utterance], change: Change, read: Callable[[Audio], str], vad: VoiceActivity
) -> WordFigures:
    """Each utterance, changed, as hearing would take it: cut at its voice, with pre-roll and tail."""
    errors = unheard = 0
    took: list[float] = []
    for utterance in utterances:
        heard = voiced_part(as_stream(change(utterance.audio)), vad)
        begin = time.perf_counter()
        text = read(heard) if heard is not None else ""
        took.append((time.perf_counter() - begin) * 1000.0)
        unheard += not text
        errors += word_errors(utterance.words, normalise(text))
    words = sum(len(utterance.words) for utterance in utterances)
    return WordFigures(
        way=way,
        utterances=len(utterances),
        words=words,
        errors=errors,
        wer_percent=round(100.0 * errors / words, 1),
        unheard=unheard,
        ms=spread(took),
    )


def as_stream(audio: Audio) -> Audio:
    """``audio`` as it comes out of a device and our front end: 16 bits, without its offset."""
    coarse = np.round(np.clip(audio, -1.0, 1.0 - 1.0 / INT16) * INT16) / INT16
    blocker = DcBlocker(RATE_HZ)
    blocks = [coarse[at : at + BLOCK].astype(np.float32) for at in range(0, len(coarse), BLOCK)]
    return np.concatenate([blocker.push(block) for block in blocks])


def voiced_part(audio: Audio, vad: VoiceActivity) -> Audio | None:
    """From the pre-roll before the first voiced window to the tail behind the last; None without voice."""
    vad.reset()
    size = audio.size // WINDOW_SAMPLES * WINDOW_SAMPLES
    voiced: list[int] = []
    now = False
    for at, window in enumerate(audio[:size].reshape(-1, WINDOW_SAMPLES)):
        now = vad.probability(window) >= (0.35 if now else 0.5)
        if now:
            voiced.append(at)
    if not voiced:
        return None
    pre, tail = (round(ms * RATE_HZ / 1000.0) for ms in (PRE_ROLL_MS, 2.0 * TAIL_MS))
    start = max(0, voiced[0] * WINDOW_SAMPLES - pre)
    return audio[start : (voiced[-1] + 1) * WINDOW_SAMPLES + tail]


def changes(noise: dict[str, Audio]) -> Iterator[tuple[str, Change]]:
    """What is done to the utterances, by name; ``noise`` is mixed in at 20, 10 and 5 dB."""
    yield "as recorded", lambda audio: audio
    for level in (-30.0, -45.0, -55.0, -60.0, -65.0):
        yield f"level {level:.0f} dBFS", partial(_level, level)
    yield "clipped", lambda audio: np.clip(_level(-12.0, audio) * np.float32(CLIP_GAIN), -1.0, 1.0)
    yield "offset 0.1, level -30 dBFS", lambda audio: _level(-30.0, audio) + np.float32(0.1)
    yield "8 kHz mu-law", _telephone
    yield "8 kHz mu-law, level -45 dBFS", lambda audio: _telephone(_level(-45.0, audio))
    for name, sound in noise.items():
        for snr in (20.0, 10.0, 5.0):
            yield f"{name} at {snr:.0f} dB", partial(_noisy, sound, snr)


def _level(level_dbfs: float, audio: Audio) -> Audio:
    return at_level(audio, RATE_HZ, level_dbfs)


def _noisy(noise: Audio, snr_db: float, audio: Audio) -> Audio:
    return mix_at_snr(audio, noise, snr_db, RATE_HZ)


def whole_window(model_dir: Path, threads: int, compute_type: str) -> Callable[[Audio], str]:
    """The same model as faster-whisper's own ``transcribe()`` runs it: 30 s, greedy."""
    from faster_whisper import WhisperModel

    model = WhisperModel(str(model_dir), device="cpu", compute_type=compute_type, cpu_threads=threads)

    def read(audio: Audio) -> str:
        segments, _ = model.transcribe(audio, beam_size=1, language="en")
        return "".join(segment.text for segment in segments)

    return read


def reader(recogniser: Recogniser) -> Callable[[Audio], str]:
    """Ours."""
    return lambda audio: recogniser.transcribe(audio[-30 * RATE_HZ :]).text


def _telephone(audio: Audio) -> Audio:
    narrow = resample(audio, RATE_HZ, 8000)
    return resample(mulaw_decode(mulaw_encode(narrow)), 8000, RATE_HZ)
