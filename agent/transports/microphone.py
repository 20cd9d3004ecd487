"""Microphone and loudspeaker as one transport: opens both, watches them, opens them again when one is gone."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pipecat.transports.base_transport import BaseTransport, TransportParams

from agent.clock import clock_for_threads, now_ms
from agent.errors import AgentError
from agent.playback import Playback
from agent.transports.echo import EchoGuard
from agent.transports.loudspeaker import Loudspeaker, OutputCallback
from agent.transports.play_queue import Samples
from agent.transports.played import PlayedReference, RunResampler
from agent.transports.sound_card import INPUT_HZ, Format, Latency, SoundCard
from agent.transports.sound_input import InputCallback, Microphone
from stages.contract import RATE_HZ

GONE_MS = 1000.0
"""A device whose callback does not come for this long is gone."""

RETRY_S = 2.0
WATCH_S = 0.25
WRITE_TIMEOUT_S = 86_400.0
"""A loudspeaker that is gone is waited for: pipecat would give the transport up."""


@dataclass(frozen=True)
class Devices:
    """What was chosen, by name or number (None: the system's default), and how deep the buffers are."""

    input: str | None = None
    output: str | None = None
    input_latency: Latency = "low"
    output_latency: Latency = "low"


@dataclass
class Opened:
    """Both streams while they run."""

    heard: InputCallback
    spoken: OutputCallback
    streams: list[Any] = field(default_factory=list)

    def close(self, errors: type[Exception]) -> None:
        """Stop both. One that is gone may refuse; it is let go all the same."""
        for stream in self.streams:
            with contextlib.suppress(errors):
                stream.abort()
            with contextlib.suppress(errors):
                stream.close()
        self.streams.clear()


@dataclass(frozen=True)
class Ears:
    """Who listens along: every block that hearing gets, every block that is played (16 kHz), faults in words."""

    heard: Callable[[float, Samples], None]
    played: Callable[[float, Samples], None]
    say: Callable[[str], None]


class MicrophoneTransport(BaseTransport):
    """A live call. Make it inside the running loop; :meth:`open` before the pipeline runs, :meth:`close` after."""

    def __init__(
        self,
        card: SoundCard,
        devices: Devices,
        guard: EchoGuard,
        voice_hz: int,
        fade_ms: float,
        on_origin: Callable[[float], None],
        ears: Ears,
    ) -> None:
        super().__init__()
        self._card, self._devices, self._ears = card, devices, ears
        self._loop, self._clock = asyncio.get_running_loop(), clock_for_threads()
        self._opened: Opened | None = None
        self.underflows = self.overflows = 0
        self.losses = 0
        self.formats = self._formats(voice_hz)
        out_hz = self.formats[1].rate_hz
        self.playback = Playback(out_hz, 0.0)
        self.reference = PlayedReference()
        self._to_reference = RunResampler(out_hz)
        params = TransportParams(
            audio_in_enabled=True,
            audio_in_sample_rate=RATE_HZ,
            audio_out_enabled=True,
            audio_out_sample_rate=voice_hz,
            audio_out_10ms_chunks=2,
            audio_out_end_silence_secs=0,
            audio_out_write_timeout_secs=WRITE_TIMEOUT_S,
        )
        self._input = Microphone(params, guard, self.reference, on_origin, ears.heard)
        self._output = Loudspeaker(params, self.playback, voice_hz, fade_ms, self._on_played)

    def input(self) -> Microphone:
        """The caller."""
        return self._input

    def output(self) -> Loudspeaker:
        """The agent's voice."""
        return self._output

    @property
    def device_names(self) -> tuple[str, str]:
        """Microphone and loudspeaker."""
        return self.formats[0].device.name, self.formats[1].device.name

    @property
    def output_buffer_ms(self) -> float:
        """What the card adds between a block's hand-over and its sound."""
        return self._opened.spoken.buffer_ms if self._opened else 0.0

    def open(self) -> None:
        """Open both devices. Raises AgentError."""
        source, sink = self.formats
        heard = InputCallback(self._clock, self._waker(self._input.blocks_came))
        spoken = OutputCallback(
            self._output.queue, sink.channels, self._clock, self._waker(self._output.notes_came)
        )
        opened = Opened(heard, spoken)
        try:
            opened.streams.append(self._card.open_output(sink, self._devices.output_latency, spoken))
            opened.streams.append(self._card.open_input(source, self._devices.input_latency, heard))
        except AgentError:
            opened.close(self._card.sd.PortAudioError)
            raise
        heard.called_ms = spoken.called_ms = self._clock()
        self._opened = opened
        self._loop.call_soon_threadsafe(self._input.listen_to, heard, source.rate_hz, source.channels)

    def close(self) -> None:
        """Close both."""
        if self._opened:
            self.underflows += self._opened.spoken.underflows
            self.overflows += self._opened.heard.overflows
            self._opened.close(self._card.sd.PortAudioError)
            self._opened = None

    async def watch(self) -> None:
        """Open the devices again whenever one is gone. Runs until it is cancelled."""
        while True:
            await asyncio.sleep(WATCH_S)
            gone = self._gone()
            if gone is None:
                continue
            self.losses += 1
            self._ears.say(f"{gone} gives no more sound. Trying again ...")
            await self._open_again()
            self._ears.say("The sound is back.")

    def _gone(self) -> str | None:
        assert self._opened is not None
        names = self.device_names
        for name, called in zip(
            names, (self._opened.heard.called_ms, self._opened.spoken.called_ms), strict=True
        ):
            if now_ms() - called > GONE_MS:
                return name
        return None

    async def _open_again(self) -> None:
        """PortAudio calls may take seconds on a device that is gone: in a thread."""
        while True:
            try:
                await asyncio.to_thread(self._reopen)
            except AgentError:
                await asyncio.sleep(RETRY_S)
                continue
            since = self._clock()
            await asyncio.sleep(GONE_MS / 1000.0)
            opened = self._opened
            if opened and min(opened.heard.called_ms, opened.spoken.called_ms) > since:
                return
            await asyncio.sleep(RETRY_S)

    def _reopen(self) -> None:
        self.close()
        self._card.refresh()
        rate = self.playback.rate_hz
        source, sink = self._formats(rate)
        if sink.rate_hz != rate:  # the marks count in the rate that the call began with
            raise AgentError("sound.rate", f"{sink.device.name} no longer takes {rate} Hz.", "", 3)
        self.formats = (source, sink)
        self.open()

    def _formats(self, out_hz: int) -> tuple[Format, Format]:
        card, devices = self._card, self._devices
        source = card.format("input", card.find("input", devices.input), INPUT_HZ)
        sink = card.format("output", card.find("output", devices.output), out_hz)
        return source, sink

    def _on_played(self, at_ms: float, samples: Samples) -> None:
        for starts_ms, block in self._to_reference.push(at_ms, samples):
            self.reference.add(starts_ms, block)
            self._ears.played(starts_ms, block)

    def _waker(self, wake: Callable[[], None]) -> Callable[[], None]:
        def from_callback() -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended before the card did
                self._loop.call_soon_threadsafe(wake)

        return from_callback
