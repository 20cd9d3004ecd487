"""Interrupts `main.py talk` again and again on the virtual sound card, and measures from outside how it stops.

``python -m tools.talk_barge_in --times 20 [--noise FILE] [options of talk]``: a made caller asks; while the reply is
heard the caller asks the next thing. Printed for each interruption: from the caller's first sample to the last audible
one of the cut reply, both from recordings. With --noise that file is played over the replies instead, which must go on.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from agent.calls.voices import HibariVoice
from stages.audio.read import read_audio
from stages.audio.write import write_wav
from stages.contract import Audio
from tools.talk_outside import READY, WINDOW_S, onsets
from tools.virtual_sound import LOUDSPEAKER, MICROPHONE, RATE_HZ, Ear, VirtualSound, virtual_sound

QUESTIONS = (
    "What do I need to bring to change my address?",
    "How long does a replacement card take to arrive?",
    "What is the monthly fee for a checking account?",
    "When is the branch open on Saturdays?",
    "How much can I transfer in one day?",
)
SPEAK_AFTER_S = 1.3
"""Into the reply: sooner the caller would be taken to go on with the turn before."""
ANSWER_S = 6.0
QUIET_S = 0.3


@dataclass(frozen=True)
class Cut:
    """One interruption. ``silent_ms``: from its first audible sample to the reply's last; None: the reply went on."""

    silent_ms: float | None
    rest_ms: float
    answered: bool


@dataclass(frozen=True)
class Counts:
    """What the talk's process holds: threads and open files."""

    threads: int
    files: int


def counts(pid: int) -> Counts:
    """From /proc."""
    threads = len(list(Path(f"/proc/{pid}/task").iterdir()))
    return Counts(threads, len(list(Path(f"/proc/{pid}/fd").iterdir())))


class Room:
    """Both ears, and what can be told from them while the talk runs."""

    def __init__(self, card: VirtualSound) -> None:
        self.microphone: Ear = card.listen(MICROPHONE)
        self.loudspeaker: Ear = card.listen(LOUDSPEAKER)

    def audible_after(self, ear: Ear, after_s: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """When (``time.monotonic``) each audible 10 ms window after a moment began."""
        first = max(0, round((after_s - ear.begin_s) * RATE_HZ))
        windows = np.flatnonzero(onsets(ear.samples()[first:]))
        return np.asarray(ear.begin_s + first / RATE_HZ + windows * WINDOW_S)

    def wait_audible(self, after_s: float, limit_s: float) -> float | None:
        """Until the agent is heard after ``after_s``; when that was."""
        until = time.monotonic() + limit_s
        while time.monotonic() < until:
            found = self.audible_after(self.loudspeaker, after_s)
            if len(found):
                return float(found[0])
            time.sleep(0.02)
        return None

    def close(self) -> None:
        """End both."""
        self.microphone.close()
        self.loudspeaker.close()


@contextmanager
def talking(card: VirtualSound, folder: Path, options: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """A talk that is ready, ended in order at the end."""
    command = [sys.executable, "main.py", "talk", "--text", "--record", str(folder / "talk")]
    with (folder / "talk.log").open("w") as log:
        talk = subprocess.Popen(
            [*command, "--set", "talk.greet=false", *options], env=card.env, stdout=log, stderr=log
        )
        try:
            until = time.monotonic() + 120.0
            while READY not in (folder / "talk.log").read_text():
                if talk.poll() is not None or time.monotonic() > until:
                    raise RuntimeError((folder / "talk.log").read_text())
                time.sleep(0.1)
            yield talk
        finally:
            talk.terminate()
            talk.wait(timeout=60)


def interrupt(card: VirtualSound, room: Room, wav: Path, seconds: float) -> Cut | None:
    """Play ``wav`` over the reply that is heard now; None if that reply had ended before."""
    begun = time.monotonic()
    player = card.play(wav)
    player.wait()
    spoke = room.audible_after(room.microphone, begun)
    onset = float(spoke[0]) if len(spoke) else begun
    time.sleep(QUIET_S)
    if not len(room.audible_after(room.loudspeaker, onset - 0.15)) or (
        room.audible_after(room.loudspeaker, onset - 0.15)[0] > onset + 0.1
    ):
        return None
    agent = room.audible_after(room.loudspeaker, onset)
    gaps = np.flatnonzero(np.diff(agent) > QUIET_S)
    last = float(agent[gaps[0]] if len(gaps) else agent[-1]) + WINDOW_S
    went_on = last > onset + seconds
    heard = room.wait_audible(onset + seconds, ANSWER_S)
    return Cut(None if went_on else (last - onset) * 1000.0, (last - onset) * 1000.0, heard is not None)


def _spoken(folder: Path) -> list[tuple[Path, float]]:
    voice = HibariVoice(seed=5)
    made = []
    for at, text in enumerate(QUESTIONS):
        audio: Audio = voice.speak(text, 1.0)
        path = folder / f"question-{at}.wav"
        write_wav(path, audio, voice.rate_hz)
        made.append((path, len(audio) / voice.rate_hz))
    return made


def run(folder: Path, times: int, noise: Path | None, options: list[str]) -> dict[str, object]:
    """Interrupt ``times`` replies; returns what was measured."""
    questions, cuts = _spoken(folder), list[Cut]()
    over = None
    if noise is not None:
        audio = read_audio(noise, channel=0).samples[: 16_000 * 2]
        write_wav(folder / "noise.wav", audio, 16_000)
        over = (folder / "noise.wav", len(audio) / 16_000)
    with virtual_sound() as card, talking(card, folder, options) as talk:
        room = Room(card)
        time.sleep(0.5)
        asked, missed, first = 0, 0, None
        while len(cuts) < times and asked < 3 * times + 3:
            question, seconds = questions[asked % len(questions)]
            asked += 1
            begun = time.monotonic()
            card.play(question).wait()
            if room.wait_audible(begun + seconds, ANSWER_S) is None:
                missed += 1
                continue
            time.sleep(SPEAK_AFTER_S)
            cut = interrupt(card, room, *(over or questions[asked % len(questions)]))
            asked += over is None
            if cut is not None:
                cuts.append(cut)
            if len(cuts) == 3 and first is None:
                first = counts(talk.pid)
            time.sleep(4.0)
        held = counts(talk.pid)
        room.close()
    silent = [cut.silent_ms for cut in cuts if cut.silent_ms is not None]
    return {
        "cuts": [asdict(cut) for cut in cuts],
        "asked": asked,
        "unanswered_questions": missed,
        "stopped": len(silent),
        "answered": sum(cut.answered for cut in cuts),
        "silent_ms": None if not silent else {str(p): float(np.percentile(silent, p)) for p in (50, 95, 100)},
        "held_after_three": None if first is None else asdict(first),
        "held_at_the_end": asdict(held),
    }


def main() -> int:
    """Interrupt, and print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--noise", type=Path, default=None)
    parser.add_argument("--out", type=Path, default=None)
    args, options = parser.parse_known_args()
    folder = args.out or Path(tempfile.mkdtemp(prefix="talk-barge-in-"))
    folder.mkdir(parents=True, exist_ok=True)
    sys.stdout.write(json.dumps(run(folder, args.times, args.noise, options), indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
