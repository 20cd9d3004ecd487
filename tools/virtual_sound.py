"""A sound card without one: PulseAudio, a microphone that files are played into, a loudspeaker that is recorded.

``python -m tools.virtual_sound run COMMAND...`` runs a command with that card as its default devices. Needs no root, no
session bus and no other sound card; a PulseAudio that already runs is left alone, since ours has a folder of its own.
Debian and Ubuntu: ``apt-get install pulseaudio pulseaudio-utils libasound2-plugins libportaudio2``.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

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


@dataclass(frozen=True)
class VirtualSound:
    """A running card. ``env`` is what a program needs to find it."""

    env: dict[str, str]
    folder: Path

    def play(self, wav: Path, *, sink: str = MICROPHONE) -> subprocess.Popen[bytes]:
        """Play a WAV into the microphone (or another sink) in a process of its own."""
        return subprocess.Popen(["paplay", f"--device={sink}", "--latency-msec=20", str(wav)], env=self.env)

    @contextlib.contextmanager
    def recording(self, wav: Path, *, source: str) -> Iterator[None]:
        """Record a source (``NAME.monitor``) to a WAV: 48 kHz, mono."""
        command = ["parec", f"--device={source}", f"--rate={RATE_HZ}", "--channels=1", "--format=s16le"]
        command += ["--latency-msec=20", "--file-format=wav", str(wav)]
        process = subprocess.Popen(command, env=self.env)
        try:
            yield
        finally:
            process.terminate()
            process.wait()

    def suspend(self, name: str, *, source: bool = False) -> None:
        """Take a device away for a while: its streams stand still until :meth:`resume`."""
        self._pactl(f"suspend-{'source' if source else 'sink'}", name, "1")

    def resume(self, name: str, *, source: bool = False) -> None:
        """Give a device back."""
        self._pactl(f"suspend-{'source' if source else 'sink'}", name, "0")

    def echo(self, delay_ms: float, gain_db: float) -> None:
        """Mix the loudspeaker back into the microphone, quieter and later, as a room does."""
        self._pactl(
            "load-module",
            "module-loopback",
            f"source={LOUDSPEAKER}.monitor",
            f"sink={MICROPHONE}",
            f"latency_msec={round(delay_ms)}",
            "sink_input_properties=media.name=echo",
        )
        # The stream appears a moment after its module.
        for _ in range(50):
            number = self._echo_stream()
            if number:
                self._pactl("set-sink-input-volume", number, f"{gain_db:g}dB")
                return
            time.sleep(0.02)
        raise RuntimeError("the echo path did not come up")

    def _echo_stream(self) -> str:
        listed = self._pactl("list", "short", "sink-inputs")
        rows = [line.split("\t") for line in listed.splitlines()]
        return next(
            (row[0] for row in rows if "module-loopback" in "\t".join(row)), rows[-1][0] if rows else ""
        )

    def _pactl(self, *args: str) -> str:
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
