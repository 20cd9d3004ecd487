"""The system's sound devices, by sounddevice and PortAudio. Imported only when a talk begins."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from agent.errors import AgentError
from stages.contract import RATE_HZ

Direction = Literal["input", "output"]
Latency = float | Literal["low", "high"]
Callback = Callable[..., None]

BLOCK_MS = 20
"""A low buffer is two blocks. With 10 ms, two busy cores made it run dry, and ALSA then kept failing for seconds."""

COMMON_RATES = (48_000, 44_100, 32_000, 16_000, 8_000)

_INSTALL = {
    "apt-get": "apt-get install libportaudio2",
    "dnf": "dnf install portaudio",
    "pacman": "pacman -S portaudio",
    "zypper": "zypper install portaudio",
    "apk": "apk add portaudio",
    "brew": "brew install portaudio",
}


@dataclass(frozen=True, slots=True)
class Device:
    """One device of the system; ``channels`` and ``default_hz`` are those of one direction."""

    number: int
    name: str
    api: str
    channels: int
    default_hz: int
    is_default: bool


@dataclass(frozen=True, slots=True)
class Format:
    """How a device is opened."""

    device: Device
    rate_hz: int
    channels: int


def load() -> Any:
    """The sounddevice module. Raises AgentError (exit code 3) with the package to install where it is missing."""
    try:
        import sounddevice
    except ModuleNotFoundError as error:
        raise AgentError(
            "sound.package", "The Python package sounddevice is not installed.", "Run `make venv`.", 3
        ) from error
    except OSError as error:  # the package is there and PortAudio's library is not
        raise AgentError(
            "sound.portaudio", "PortAudio, which reaches the sound card, is not installed.", _install(), 3
        ) from error
    return sounddevice


def _install() -> str:
    for tool, command in _INSTALL.items():
        if shutil.which(tool):
            return f"Install it: {command}"
    return f"Install the package portaudio (or libportaudio2) of your system ({platform.system()})."


class SoundCard:
    """What can be recorded from and played to. ``sd`` is the sounddevice module, or a stand-in."""

    def __init__(self, sd: Any = None) -> None:
        self.sd = load() if sd is None else sd

    def devices(self, direction: Direction) -> list[Device]:
        """All devices of a direction, by their numbers."""
        key = f"max_{direction}_channels"
        default = self.sd.default.device[0 if direction == "input" else 1]
        apis = [api["name"] for api in self.sd.query_hostapis()]
        return [
            Device(
                number=number,
                name=found["name"],
                api=apis[found["hostapi"]],
                channels=found[key],
                default_hz=int(found["default_samplerate"]),
                is_default=number == default,
            )
            for number, found in enumerate(self.sd.query_devices())
            if found[key] > 0
        ]

    def find(self, direction: Direction, wanted: str | None) -> Device:
        """A device by number, whole name or part of one; the system's default for None. Raises AgentError."""
        devices = self.devices(direction)
        what = "record from" if direction == "input" else "play to"
        if not devices:
            raise AgentError(
                "sound.none",
                f"There is no device to {what}.",
                "Plug one in, or try replay, which needs none.",
                3,
            )
        if wanted is None:
            return next((device for device in devices if device.is_default), devices[0])
        found = _matching(devices, wanted)
        if len(found) == 1:
            return found[0]
        problem = "is not unique" if found else "is not there"
        names = "; ".join(f"{device.number} {device.name}" for device in found or devices)
        raise AgentError(
            "sound.device", f"The device {wanted!r} to {what} {problem}.", f"Choose by number: {names}."
        )

    def format(self, direction: Direction, device: Device, wanted_hz: int) -> Format:
        """How to open ``device``: at ``wanted_hz`` and mono if it takes that, else as near as it gets.

        Raises AgentError if it takes nothing, e.g. because another program holds it.
        """
        check = self.sd.check_input_settings if direction == "input" else self.sd.check_output_settings
        last: Exception | None = None
        for rate in dict.fromkeys((wanted_hz, device.default_hz, *COMMON_RATES)):
            for channels in dict.fromkeys((1, min(2, device.channels))):
                try:
                    check(device=device.number, channels=channels, dtype="int16", samplerate=rate)
                except (self.sd.PortAudioError, ValueError) as error:
                    last = error
                else:
                    return Format(device, rate, channels)
        raise AgentError(
            "sound.refused",
            f"{device.name} cannot be opened: {last}.",
            "Close what else uses it, or choose another device.",
            3,
        )

    def open_input(self, form: Format, latency: Latency, callback: Callback) -> Any:
        """A running stream of int16; the callback gets ``(bytes, frames, times, status)``."""
        return self._open(self.sd.RawInputStream, form, form.rate_hz * BLOCK_MS // 1000, latency, callback)

    def open_output(self, form: Format, latency: Latency, callback: Callback) -> Any:
        """A running stream of int16; the callback fills ``(buffer, frames, times, status)``."""
        return self._open(self.sd.RawOutputStream, form, form.rate_hz * BLOCK_MS // 1000, latency, callback)

    def _open(self, kind: Any, form: Format, block: int, latency: Latency, callback: Callback) -> Any:
        try:
            stream = kind(
                samplerate=form.rate_hz,
                blocksize=block,
                device=form.device.number,
                channels=form.channels,
                dtype="int16",
                latency=latency,
                callback=callback,
            )
            stream.start()
        except self.sd.PortAudioError as error:
            raise AgentError(
                "sound.open",
                f"{form.device.name} cannot be opened: {error}.",
                "Is it in use or unplugged?",
                3,
            ) from error
        return stream

    def refresh(self) -> None:
        """Look for devices anew. No stream may be open: PortAudio only sees what was there when it began."""
        self.sd._terminate()
        self.sd._initialize()


def _matching(devices: list[Device], wanted: str) -> list[Device]:
    if wanted.isdigit():
        return [device for device in devices if device.number == int(wanted)]
    named = [device for device in devices if device.name == wanted]
    return named or [device for device in devices if wanted.lower() in device.name.lower()]


INPUT_HZ = RATE_HZ
"""What recognition takes: a microphone is asked for it first."""
