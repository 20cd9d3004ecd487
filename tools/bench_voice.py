"""Speech: our pieces against piper's own streaming, in turn, on the same replies, in one run.

    python -m tools.bench_voice VOICE.onnx [--threads 1] [--rounds 3]

piper streams by sentences: its first samples come when the first sentence is made. It runs as it comes, with a thread
for each core. Replies are two facts of the shipped persona each, known whole. "First" is the first audible sample:
silence in front of it counts. Words: how much of a reply must be known for it. Stalls: parts that were made only after
the part before had been played.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np

from agent.config.load import load
from agent.playback import AUDIBLE_DBFS
from stages.contract import Audio
from stages.tts.config import TtsConfig
from stages.tts.pieces import PieceSplitter
from stages.tts.piper_voice import PiperVoice

OURS, THEIRS = "ours", "piper's streaming"
Way = Callable[[str], Iterator[tuple[str, Audio]]]
"""A reply in, its parts with their audio out, each as soon as it is made."""


@dataclass
class Figures:
    """What one way took."""

    first_ms: list[float] = field(default_factory=list)
    all_ms: list[float] = field(default_factory=list)
    words: list[int] = field(default_factory=list)
    parts: int = 0
    stalls: int = 0

    def line(self, name: str) -> str:
        """Median and spread of the first sound, words, time of the whole reply, stalls."""
        low, middle, high = np.percentile(self.first_ms, [10, 50, 90])
        return (
            f"{name:<18} {len(self.first_ms):>4} {middle:>9.0f} {low:>6.0f} {high:>6.0f} "
            f"{np.median(self.words):>6.0f} {np.median(self.all_ms):>7.0f} {self.stalls:>4} of {self.parts}"
        )


def run(way: Way, rate_hz: int, text: str, figures: Figures) -> None:
    """Speak one reply."""
    start, played_s = time.perf_counter(), 0.0
    for index, (part, audio) in enumerate(way(text)):
        at_s = time.perf_counter() - start
        if index == 0:
            figures.first_ms.append((at_s + silence_s(audio, rate_hz)) * 1000.0)
            figures.words.append(len(part.split()))
            played_s = at_s
        else:
            figures.parts += 1
            figures.stalls += at_s > played_s
        played_s = max(played_s, at_s) + len(audio) / rate_hz
    figures.all_ms.append((time.perf_counter() - start) * 1000.0)


def silence_s(audio: Audio, rate_hz: int) -> float:
    """Silence in front of the first audible 10 ms."""
    step = rate_hz // 100
    windows = audio[: len(audio) // step * step].reshape(-1, step)
    level = np.sqrt(np.mean(np.square(windows, dtype=np.float64), axis=1))
    return float(np.argmax(level >= 10 ** (AUDIBLE_DBFS / 20))) * step / rate_hz


def ours(voice: PiperVoice) -> Way:
    """Cut as the pipeline cuts, one piece spoken after the other."""

    def way(text: str) -> Iterator[tuple[str, Audio]]:
        splitter = PieceSplitter(TtsConfig().pieces)
        for piece in [*splitter.feed(text), *splitter.finish()]:
            yield piece, voice.speak(piece)

    return way


def piper(path: Path) -> tuple[Way, int]:
    """``PiperVoice.load`` and ``synthesize``, which yields a sentence at a time."""
    from piper import PiperVoice as Piper

    voice = Piper.load(path)

    def way(text: str) -> Iterator[tuple[str, Audio]]:
        sentences = iter(text.split(". "))
        for chunk in voice.synthesize(text):
            yield next(sentences, ""), chunk.audio_float_array

    return way, voice.config.sample_rate


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("voice", type=Path, help="the voice's .onnx file, or its folder")
    parser.add_argument("--threads", type=int, default=1, help="ours; piper's own are left as they are")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    path = args.voice if args.voice.is_file() else next(args.voice.glob("*.onnx"))
    voice = PiperVoice(path, TtsConfig(threads=args.threads))
    theirs, rate_hz = piper(path)
    ways = {OURS: (ours(voice), voice.rate_hz), THEIRS: (theirs, rate_hz)}
    replies = [f"{one} {two}" for one, two in pairwise(load().persona.facts)]
    figures = {name: Figures() for name in ways}
    for way, rate in ways.values():
        run(way, rate, replies[0], Figures())
    for _ in range(args.rounds):
        for text in replies:
            for name, (way, rate) in ways.items():
                run(way, rate, text, figures[name])
    first = {name: float(np.median(one.first_ms)) for name, one in figures.items()}
    words = float(np.mean([len(text.split()) for text in replies]))
    out = [
        f"{len(replies)} replies of {words:.0f} words, {path.name}, {args.threads} thread(s) for ours",
        f"{'way':<18} {'n':>4} {'first ms':>9} {'p10':>6} {'p90':>6} {'words':>6} {'all ms':>7} {'stalls':>4}",
        *(one.line(name) for name, one in figures.items()),
        f"ratio of medians: {first[THEIRS] / first[OURS]:.1f}",
    ]
    sys.stdout.write("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
