"""The offline pass: where speech is on one channel, found with the whole recording at hand.

Voice activity (0.5 a window, the whole recording) says roughly where; the level rule of the labels says
exactly: an utterance begins and ends with its windows of 10 ms within 30 dB of its loudest one. Voice
activity alone ends 20 to 110 ms late and begins one or two windows late, so each stretch is widened in front
before it is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agent.calls.model import Role, Segment
from stages.audio.level import levels, remove_dc, utterance_span
from stages.contract import RATE_HZ, WINDOW_SAMPLES, Audio, Recogniser, VoiceActivity

THRESHOLD = 0.5
MERGE_GAP_S = 0.7
"""Silences shorter than this are part of an utterance, as in the labels of the shared calls."""

_HANGOVER_WINDOWS = 8
"""Unvoiced windows (256 ms) that do not yet end a stretch: stops and soft syllables inside words."""

_LEAD_WINDOWS = 2
_SHORTEST_WINDOWS = 2
"""Shorter stretches (below 64 ms) are clicks."""

_SPECK_S, _SPECK_DB = 0.25, 15.0
"""Stretches shorter than this and so far below the channel's usual loudness are breath or crosstalk."""

_QUIET_PERCENT, _NOISE_DB = 10, 3.0
"""The quietest tenth of a channel is its noise; windows of 10 ms of steady noise spread by less than 3 dB."""

_TEXT_PAD_S = 0.2
_RECOGNISER_S = 30.0

Progress = Callable[[float], None]
"""Told the share done, from 0 to 1."""


def ignore(_share: float) -> None:
    """The progress of work that nobody watches."""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a recording, in samples."""

    start: int
    end: int


def speech_spans(
    audio: Audio, vad: VoiceActivity, *, threshold: float = THRESHOLD, progress: Progress = ignore
) -> tuple[Span, ...]:
    """Where ``audio`` (16 kHz) holds speech, utterance by utterance, without the silence around it."""
    level = remove_dc(audio)  # an offset would count as sound, and makes Silero hear speech in a hold tone
    floor_dbfs = _noise_floor(level)
    spans: list[Span] = []
    for stretch in _stretches(_probabilities(level, vad, progress) >= threshold):
        floor = spans[-1].end if spans else 0
        start = max(floor, (stretch.start - _LEAD_WINDOWS) * WINDOW_SAMPLES)
        found = utterance_span(level[start : stretch.end * WINDOW_SAMPLES], RATE_HZ, floor_dbfs=floor_dbfs)
        if found is None:
            continue
        span = Span(start + found[0], start + found[1])
        if spans and span.start - spans[-1].end < MERGE_GAP_S * RATE_HZ:
            span = Span(spans.pop().start, span.end)
        spans.append(span)
    return _without_specks(spans, level)


def label_channel(
    audio: Audio,
    role: Role,
    vad: VoiceActivity,
    *,
    recogniser: Recogniser | None = None,
    progress: Progress = ignore,
) -> tuple[Segment, ...]:
    """Segments of one party's channel (16 kHz), with texts where a recogniser is given."""
    return tuple(
        Segment(
            role=role,
            start_s=round(span.start / RATE_HZ, 3),
            end_s=round(span.end / RATE_HZ, 3),
            text="" if recogniser is None else _text(audio, span, recogniser),
        )
        for span in speech_spans(audio, vad, progress=progress)
    )


def pulled_back(segment: Segment, level: Audio) -> Segment:
    """``segment`` without the quiet at its ends: only what lies within 30 dB of its loudest 10 ms window.

    ``level`` is the party's channel at 16 kHz without its constant offset. A label over silence stays as it
    is.
    """
    start = round(segment.start_s * RATE_HZ)
    found = utterance_span(level[start : round(segment.end_s * RATE_HZ)], RATE_HZ)
    if found is None:
        return segment
    times = {"start_s": (start + found[0]) / RATE_HZ, "end_s": (start + found[1]) / RATE_HZ}
    return segment.model_copy(update=times)


def interleaved(*channels: Sequence[Segment]) -> tuple[Segment, ...]:
    """The segments of several channels in order of their start."""
    return tuple(sorted((one for channel in channels for one in channel), key=lambda one: one.start_s))


def _probabilities(audio: Audio, vad: VoiceActivity, progress: Progress) -> NDArray[np.float32]:
    vad.reset()
    count = -(-len(audio) // WINDOW_SAMPLES)
    found = np.zeros(count, np.float32)
    for at in range(count):
        window = audio[at * WINDOW_SAMPLES : (at + 1) * WINDOW_SAMPLES]
        if len(window) < WINDOW_SAMPLES:
            window = np.pad(window, (0, WINDOW_SAMPLES - len(window)))
        found[at] = vad.probability(window)
        if at % 1_000 == 0:
            progress(at / count)
    progress(1.0)
    return found


def _noise_floor(level: Audio) -> float:
    """What steady noise never exceeds: under it, "within 30 dB of the loudest" would be the noise itself."""
    quiet = levels(level, RATE_HZ)
    return float(np.percentile(quiet, _QUIET_PERCENT)) + _NOISE_DB if len(quiet) else -200.0


def _without_specks(spans: Sequence[Span], level: Audio) -> tuple[Span, ...]:
    """``spans`` without breath and crosstalk: what is short and far below the channel's usual loudness."""
    peaks = [float(levels(level[span.start : span.end], RATE_HZ).max()) for span in spans]
    usual = float(np.median(peaks)) if peaks else 0.0
    return tuple(
        span
        for span, peak in zip(spans, peaks, strict=True)
        if span.end - span.start >= _SPECK_S * RATE_HZ or peak >= usual - _SPECK_DB
    )


def _stretches(voiced: NDArray[np.bool_]) -> list[Span]:
    """Runs of voiced windows, in windows; runs closer than the hangover are one."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], voiced, [False])).astype(np.int8)))
    runs: list[Span] = []
    for start, end in edges.reshape(-1, 2).tolist():
        if runs and start - runs[-1].end <= _HANGOVER_WINDOWS:
            start = runs.pop().start
        runs.append(Span(start, end))
    return [run for run in runs if run.end - run.start >= _SHORTEST_WINDOWS]


def _text(audio: Audio, span: Span, recogniser: Recogniser) -> str:
    pad = round(_TEXT_PAD_S * RATE_HZ)
    longest = round(_RECOGNISER_S * RATE_HZ)
    start, stop = max(0, span.start - pad), min(len(audio), span.end + pad)
    pieces = [audio[at : min(at + longest, stop)] for at in range(start, stop, longest)]
    return " ".join(filter(None, (recogniser.transcribe(piece).text.strip() for piece in pieces)))
