"""A sound card without one: PulseAudio, a microphone that files are played into, a loudspeaker that is recorded.

``python -m tools.virtual_sound run COMMAND...`` runs a command with that card as its default devices. Needs no root, no
session bus and no other sound card; a PulseAudio that already runs is left alone, since ours has a folder of its own.
Debian and Ubuntu: ``apt-get install pulseaudio pulseaudio-utils libasound2-plugins libportaudio2``.
"""

from __future__ import annotations

import contextlib
import math
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

PACKAGES = "pulseaudio pulseaudio-utils libasound2-plugins libportaudio2"
TOOLS = ("pulseaudio", "pactl", "pacat", "parec")
MICROPHONE, LOUDSPEAKER = "budgie_mic", "budgie_out"
RATE_HZ = 48_000
START_S = 10.0

_CARD = f"""\
load-module module-native-protocol-unix
load-module module-null-sink sink_name={MICROPHONE} rate={RATE_HZ} channels=2
load-module module-null-sink sink_name={LOUDSPEAKER} rate={RATE_HZ} channels=2
set-default-sink {LOUDSPEAKER}
set-default-source {MICROPHONE}.monitor
"""


def missing() -> list[str]:
    """The programs that the card needs and this system has not."""
    return [tool for tool in TOOLS if shutil.which(tool) is None]


class Ear:
    """A recording and when it began: two ears of one card share a clock to about two milliseconds."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process, self._parts, self._bytes = process, list[bytes](), 0
        self.begin_s = math.inf
        """When the first sample sounded, on ``time.monotonic``: readings come late, so the earliest counts."""
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        while part := self._process.stdout.read1(65_536):  # type: ignore[attr-defined]
            self._parts.append(part)
            self._bytes += len(part)
            self.begin_s = min(self.begin_s, time.monotonic() - self._bytes / 2 / RATE_HZ)

    def close(self) -> NDArray[np.float32]:
        """End it; all samples."""
        self._process.terminate()
        self._thread.join()
        self._process.wait()
        return self.samples()

    def samples(self) -> NDArray[np.float32]:
        """What was recorded so far, float32 mono at ``RATE_HZ``."""
        return np.frombuffer(b"".join(self._parts), dtype=np.int16).astype(np.float32) / np.float32(32_768)


@dataclass(frozen=True)
class VirtualSound:
    """A running card. ``env`` is what a program needs to find it."""

    env: dict[str, str]
    folder: Path

    def play(self, wav: Path, *, sink: str = MICROPHONE) -> subprocess.Popen[bytes]:
        """Play a WAV into the microphone (or another sink) in a process of its own."""
        return subprocess.Popen(["paplay", f"--device={sink}", "--latency-msec=300", str(wav)], env=self.env)

    def listen(self, sink: str) -> Ear:
        """Record what is played to a sink until the ear is closed."""
        command = ["parec", f"--device={sink}.monitor", f"--rate={RATE_HZ}", "--channels=1", "--format=s16le"]
        return Ear(subprocess.Popen([*command, "--latency-msec=10"], env=self.env, stdout=subprocess.PIPE))

    def suspend(self, sink: str, *, away: bool) -> None:
        """Take a sink away, so that its streams stand still, or give it back."""
        self.pactl("suspend-sink", sink, "1" if away else "0")

    def echo(self, delay_ms: float, gain_db: float) -> None:
        """Mix the loudspeaker back into the microphone, quieter and later, as a room does. Before anything plays."""
        self.pactl(
            "load-module",
            "module-loopback",
            f"source={LOUDSPEAKER}.monitor",
            f"sink={MICROPHONE}",
            f"latency_msec={round(delay_ms)}",
        )
        # The stream appears a moment after its module; it is the only one yet.
        for _ in range(50):
            streams = self.pactl("list", "short", "sink-inputs").split("\t")
            if len(streams) > 1:
                self.pactl("set-sink-input-volume", streams[0], f"{gain_db:g}dB")
                return
            time.sleep(0.02)
        raise RuntimeError("the echo path did not come up")

    def pactl(self, *args: str) -> str:
        """Ask the server."""
        done = subprocess.run(["pactl", *args], env=self.env, capture_output=True, text=True, timeout=10)
        if done.returncode:
            raise RuntimeError(f"pactl {' '.join(args)}: {done.stderr.strip()}")
        return done.stdout


@contextlib.contextmanager
def virtual_sound() -> Iterator[VirtualSound]:
    """Start the card, and end it with everything that was made for it."""
    if gone := missing():
        raise RuntimeError(f"not installed: {', '.join(gone)}. Debian and Ubuntu: apt-get install {PACKAGES}")
    with tempfile.TemporaryDirectory(prefix="budgie-sound-") as name:
        folder = Path(name)
        folder.chmod(0o700)
        script = folder / "card.pa"
        script.write_text(_CARD)
        keep = {key: value for key, value in os.environ.items() if not key.startswith("PULSE_")}
        env = keep | {"XDG_RUNTIME_DIR": name, "HOME": name, "PULSE_RUNTIME_PATH": f"{name}/pulse"}
        env["XDG_CACHE_HOME"] = os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))
        (folder / ".asoundrc").write_text("pcm.!default pulse\nctl.!default pulse\n")
        options = ["-n", "-F", str(script), "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no"]
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen(["pulseaudio", *options], env=env, stdout=log, stderr=log)
        try:
            _wait(env, server, folder / "log")
            with _awake(env):
                yield VirtualSound(env, folder)
        finally:
            server.terminate()
            server.wait()


@contextlib.contextmanager
def _awake(env: dict[str, str]) -> Iterator[None]:
    """A null sink renders two seconds at a time unless somebody listens with less delay: then 10 ms, as a card does."""
    listeners = [
        subprocess.Popen(
            ["parec", f"--device={name}.monitor", "--latency-msec=10"], env=env, stdout=subprocess.DEVNULL
        )
        for name in (MICROPHONE, LOUDSPEAKER)
    ]
    try:
        yield
    finally:
        for listener in listeners:
            listener.terminate()
            listener.wait()


def _wait(env: dict[str, str], server: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + START_S
    while time.monotonic() < until and server.poll() is None:
        if subprocess.run(["pactl", "info"], env=env, capture_output=True).returncode == 0:
            return
        time.sleep(0.05)
    raise RuntimeError(f"PulseAudio did not start: {log.read_text(errors='replace')[-500:]}")


def main() -> int:
    """Run a command beside the card; its exit code is ours."""
    if len(sys.argv) < 3 or sys.argv[1] != "run":
        sys.stderr.write("usage: python -m tools.virtual_sound run COMMAND...\n")
        return 2
    with virtual_sound() as card:
        return subprocess.run(sys.argv[2:], env=card.env).returncode


if __name__ == "__main__":
    sys.exit(main())
