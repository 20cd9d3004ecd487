"""A sounddevice module without PortAudio: its callbacks run on the event loop's clock, which may be virtual."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import numpy as np

DEVICES = [
    {
        "name": "Mic A",
        "hostapi": 0,
        "max_input_channels": 1,
        "max_output_channels": 0,
        "default_samplerate": 48000.0,
    },
    {
        "name": "Speaker B",
        "hostapi": 0,
        "max_input_channels": 0,
        "max_output_channels": 2,
        "default_samplerate": 48000.0,
    },
    {
        "name": "Headset B",
        "hostapi": 0,
        "max_input_channels": 2,
        "max_output_channels": 2,
        "default_samplerate": 44100.0,
    },
]
BUFFER_S = 0.04


class PortAudioError(Exception):
    """What sounddevice raises."""


class FakeStream:
    """Calls back every block until it is closed, or for as long as the card is there."""

    def __init__(self, sd: FakeSd, settings: dict[str, Any], *, is_input: bool) -> None:
        self.sd, self.settings, self._is_input = sd, settings, is_input
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = self.sd.loop.create_task(self._run())

    def abort(self) -> None:
        if self._task:
            self.sd.loop.call_soon_threadsafe(self._task.cancel)

    def close(self) -> None:
        self.sd.closed += 1

    async def _run(self) -> None:
        block, rate = self.settings["blocksize"], self.settings["samplerate"]
        channels = self.settings["channels"]
        loop, begin, k = self.sd.loop, self.sd.loop.time(), 0
        status = SimpleNamespace(output_underflow=False, input_overflow=False)
        while True:
            k += 1
            await asyncio.sleep(begin + k * block / rate - loop.time())
            if self.sd.away:
                continue
            now = loop.time()
            if self._is_input:
                times = SimpleNamespace(
                    currentTime=now + 500.0, inputBufferAdcTime=now + 500.0 - block / rate
                )
                data = np.repeat(self.sd.hear(now - block / rate, block, rate), channels)
                self.settings["callback"](data.tobytes(), block, times, status)
            else:
                times = SimpleNamespace(currentTime=now + 500.0, outputBufferDacTime=now + 500.0 + BUFFER_S)
                out = bytearray(2 * block * channels)
                self.settings["callback"](memoryview(out), block, times, status)
                played = np.frombuffer(bytes(out), dtype=np.int16).reshape(-1, channels)[:, 0]
                self.sd.played.append((now + BUFFER_S, played))


class FakeSd:
    """``refuses`` lists sample rates that no device takes; ``away`` stops all callbacks; ``caller`` is heard."""

    PortAudioError = PortAudioError

    def __init__(self, refuses: tuple[int, ...] = (), *, mono: bool = True) -> None:
        self.loop = asyncio.get_running_loop()
        self.refuses, self.mono = refuses, mono
        self.default = SimpleNamespace(device=[0, 1])
        self.away = False
        self.opened: list[FakeStream] = []
        self.closed = self.refreshed = 0
        self.played: list[tuple[float, np.ndarray]] = []
        self.caller = np.zeros(0, dtype=np.int16)  # 16 kHz, from `caller_begins` on
        self.caller_begins = 0.0

    def hear(self, at_s: float, count: int, rate: int) -> np.ndarray:
        """What the microphone records from ``at_s`` on."""
        index = np.floor(
            (at_s - self.caller_begins) * 16_000 + np.arange(count) * 16_000 / rate + 1e-6
        ).astype(int)
        inside = (index >= 0) & (index < len(self.caller))
        found = np.zeros(count, dtype=np.int16)
        found[inside] = self.caller[index[inside]]
        return found

    def query_devices(self) -> list[dict[str, Any]]:
        return DEVICES

    def query_hostapis(self) -> list[dict[str, str]]:
        return [{"name": "Fake"}]

    def check_input_settings(self, **settings: Any) -> None:
        if settings["samplerate"] in self.refuses or (settings["channels"] == 1 and not self.mono):
            raise PortAudioError("Invalid sample rate")

    check_output_settings = check_input_settings

    def RawInputStream(self, **settings: Any) -> FakeStream:  # noqa: N802 - sounddevice's name
        return self._open(settings, is_input=True)

    def RawOutputStream(self, **settings: Any) -> FakeStream:  # noqa: N802 - sounddevice's name
        return self._open(settings, is_input=False)

    def _open(self, settings: dict[str, Any], *, is_input: bool) -> FakeStream:
        if self.away:
            raise PortAudioError("Device unavailable")
        self.opened.append(FakeStream(self, settings, is_input=is_input))
        return self.opened[-1]

    def _terminate(self) -> None:
        self.refreshed += 1

    def _initialize(self) -> None:
        pass
