"""Measures what stands between loudspeaker and microphone: levels, delay and strength of the echo."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import numpy as np
from pipecat.frames.frames import Frame

from agent.clock import clock_for_threads
from agent.transports.loudspeaker import OutputCallback
from agent.transports.microphone import Devices, Opened
from agent.transports.play_queue import Marker, PlayQueue, Samples, Sound
from agent.transports.sound_card import INPUT_HZ, SoundCard
from agent.transports.sound_input import InputCallback
from stages.audio.resample import resample
from stages.audio.write import to_int16
from stages.contract import RATE_HZ, Audio

QUIET_S = 1.5
TONE_S = 1.0
CHIRPS = 5
CHIRP_EVERY_S = 0.8
CHIRP_MS = 200.0
CLEAR = 8.0
"""A peak this many times the correlation's own scatter is the chirp: noise reaches 4 to 5 in a second of lags."""

HEADPHONES_DB = -45.0
"""A fainter echo than this never opens a turn: as good as headphones."""


@dataclass(frozen=True, slots=True)
class Echo:
    """The played sound as it was found again: how much later, how much quieter, how clearly (in scatters)."""

    delay_ms: float
    gain_db: float
    clarity: float

    @property
    def found(self) -> bool:
        """Whether it stands out from what else was recorded."""
        return self.clarity >= CLEAR


@dataclass(frozen=True, slots=True)
class CheckResult:
    """``echoes`` are those that were found, one a chirp; times are those that the devices do not report themselves."""

    noise_dbfs: float
    tone_dbfs: float
    loudest_dbfs: float
    echoes: tuple[Echo, ...]
    output_buffer_ms: float
    input_delay_ms: float
    underflows: int

    @property
    def headphones(self) -> bool:
        """Whether the microphone does not hear the loudspeaker, or so faintly that it does not matter."""
        return not self.echoes or float(np.median([echo.gain_db for echo in self.echoes])) < HEADPHONES_DB


def chirp(rate_hz: int, level: float = 0.25) -> Audio:
    """300 to 4000 Hz in 200 ms with soft ends, float32: nothing else in a room correlates with it."""
    seconds = CHIRP_MS / 1000.0
    t = np.arange(round(rate_hz * seconds)) / rate_hz
    phase = 2 * np.pi * (300.0 * t + (4000.0 - 300.0) / (2 * seconds) * t**2)
    ends = np.minimum(1.0, np.minimum(t, seconds - t) / 0.01)
    return (level * ends * np.sin(phase)).astype(np.float32)


def find_echo(played: Audio, heard: Audio, rate_hz: int) -> Echo:
    """``played`` in ``heard`` by cross-correlation (matched filter); ``delay_ms`` from the begin of ``heard``."""
    size = len(played) + len(heard)
    spectrum = np.fft.rfft(heard, size) * np.conj(np.fft.rfft(played, size))
    lags = np.fft.irfft(spectrum, size)[: max(1, len(heard) - len(played) + 1)]
    at = int(np.argmax(np.abs(lags)))
    away = np.abs(np.arange(len(lags)) - at) > round(rate_hz * 0.005)
    scatter = float(np.std(lags[away])) if away.any() else 0.0
    energy = float(np.sum(np.square(played, dtype=np.float64)))
    gain = abs(float(lags[at])) / energy
    clarity = abs(float(lags[at])) / scatter if scatter > 0.0 else 0.0
    return Echo(at * 1000.0 / rate_hz, 20.0 * float(np.log10(max(gain, 1e-10))), clarity)


def dbfs(samples: Audio) -> float:
    """Mean level; -120 for silence."""
    power = float(np.mean(np.square(samples, dtype=np.float64))) if len(samples) else 0.0
    return 10.0 * float(np.log10(power)) if power > 1e-12 else -120.0


class _Probe:
    """Both devices, opened as a talk opens them."""

    def __init__(self, card: SoundCard, devices: Devices) -> None:
        clock = clock_for_threads()
        self.sink = card.format("output", card.find("output", devices.output), RATE_HZ)
        self.source = card.format("input", card.find("input", devices.input), INPUT_HZ)
        self.queue = PlayQueue(self.sink.rate_hz, 5.0)
        self.heard = InputCallback(clock, lambda: None)
        self.heard.rate_hz = self.source.rate_hz
        self.spoken = OutputCallback(self.queue, self.sink.channels, clock, lambda: None)
        self.opened = Opened(self.heard, self.spoken)
        self._errors = card.sd.PortAudioError
        self.opened.streams.append(card.open_output(self.sink, devices.output_latency, self.spoken))
        self.opened.streams.append(card.open_input(self.source, devices.input_latency, self.heard))

    def close(self) -> None:
        self.opened.close(self._errors)

    async def play(self, audio: Audio, wait_s: float) -> tuple[float, Audio, float]:
        """Play, and record for ``wait_s``: when the sound left, what was recorded (16 kHz), from when on."""
        self.heard.blocks.clear()
        self.queue.notes.clear()
        self.queue.put(Sound(0, to_int16(audio)))
        self.queue.put(Marker(0, Frame(), ends=True))
        await asyncio.sleep(wait_s)
        left = next((note.at_ms for note in list(self.queue.notes) if isinstance(note, Sound)), 0.0)
        blocks = list(self.heard.blocks)
        return left, self._samples([block.data for block in blocks]), blocks[0].at_ms if blocks else 0.0

    def _samples(self, parts: list[bytes]) -> Audio:
        whole: Samples = np.frombuffer(b"".join(parts), dtype=np.int16)
        mono = whole.reshape(-1, self.source.channels).mean(axis=1).astype(np.float32) / np.float32(32_768)
        return resample(mono, self.source.rate_hz, RATE_HZ)


async def check(card: SoundCard, devices: Devices) -> CheckResult:
    """Listen, play a tone, play chirps and find them again. Takes about seven seconds. Raises AgentError."""
    probe = _Probe(card, devices)
    try:
        _, quiet, _ = await probe.play(np.zeros(0, dtype=np.float32), QUIET_S)
        rate = probe.sink.rate_hz
        tone = 0.2 * np.sin(2 * np.pi * 440.0 * np.arange(round(TONE_S * rate)) / rate)
        _, with_tone, _ = await probe.play(tone.astype(np.float32), TONE_S + 0.3)
        found, loudest = [], 0.0
        for _ in range(CHIRPS):
            left, heard, from_ms = await probe.play(chirp(rate), CHIRP_EVERY_S)
            loudest = max(loudest, float(np.abs(heard).max(initial=0.0)))
            echo = find_echo(chirp(RATE_HZ), heard, RATE_HZ)
            if echo.found:
                found.append(Echo(from_ms + echo.delay_ms - left, echo.gain_db, echo.clarity))
        blocks = list(probe.heard.blocks)
        delays = [block.came_ms - block.at_ms for block in blocks]
        return CheckResult(
            noise_dbfs=dbfs(quiet),
            tone_dbfs=dbfs(with_tone),
            loudest_dbfs=20.0 * float(np.log10(max(loudest, 1e-6))),
            echoes=tuple(found),
            output_buffer_ms=probe.spoken.buffer_ms,
            input_delay_ms=float(np.median(delays)) if delays else 0.0,
            underflows=probe.spoken.underflows,
        )
    finally:
        probe.close()
