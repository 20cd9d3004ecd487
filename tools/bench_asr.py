"""Recognition: our window against faster-whisper's own ``transcribe()``, in turn, on the same utterances, in one run.

    python -m tools.bench_asr MODEL_DIR CALLS_DIR [--threads 1] [--rounds 3] [--margin 2.0]

Utterances are those of CALLS_DIR/utterances whose text was checked, cut to what Silero hears and 0.2 s on both sides,
up to 5 s. Word error rate: lower case, no punctuation, nothing else, so "20" for "twenty" is an error.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from stages.asr.config import AsrConfig
from stages.asr.wer import normalise, word_errors
from stages.asr.whisper import WhisperRecogniser
from stages.audio.read import read_audio
from stages.contract import RATE_HZ, WINDOW_SAMPLES, Audio
from stages.endpoint.silero import SileroVad

LONGEST_S = 5.0
AROUND_S = 0.2


@dataclass
class Figures:
    """What one way of recognising took and got wrong."""

    ms: list[float] = field(default_factory=list)
    errors: int = 0

    def line(self, name: str, words: int) -> str:
        """Median, spread and word error rate on one line."""
        low, median, high = np.percentile(self.ms, [10, 50, 90])
        rate = 100.0 * self.errors / words
        return f"{name:<12} {len(self.ms):>4} {median:>9.0f} {low:>6.0f} {high:>6.0f} {rate:>8.1f}"


def cut(audio: Audio) -> Audio:
    """``audio`` from 0.2 s before the first voiced window to 0.2 s behind the last."""
    vad = SileroVad()
    windows = audio[: audio.size // WINDOW_SAMPLES * WINDOW_SAMPLES].reshape(-1, WINDOW_SAMPLES)
    voiced = np.flatnonzero([vad.probability(window) > 0.5 for window in windows])
    around = int(AROUND_S * RATE_HZ)
    start = max(0, int(voiced[0]) * WINDOW_SAMPLES - around)
    return audio[start : int(voiced[-1] + 1) * WINDOW_SAMPLES + around]


def utterances(folder: Path) -> list[tuple[Audio, list[str]]]:
    """Each utterance up to 5 s whose text was checked, with its words."""
    index = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    checked = [entry for entry in index if entry.get("text_checked")]
    pairs = [(cut(read_audio(folder / e["file"]).samples), normalise(e["text"])) for e in checked]
    return [(audio, words) for audio, words in pairs if audio.size <= LONGEST_S * RATE_HZ]


def measure(
    ways: dict[str, Callable[[Audio], str]], pairs: list[tuple[Audio, list[str]]], rounds: int
) -> dict[str, Figures]:
    """Every way on every utterance, one after the other, so that what else the machine does hits all alike."""
    figures = {name: Figures() for name in ways}
    for way in ways.values():
        way(pairs[0][0])
    for at in range(rounds):
        for audio, words in pairs:
            for name, way in ways.items():
                start = time.perf_counter()
                text = way(audio)
                figures[name].ms.append((time.perf_counter() - start) * 1000.0)
                figures[name].errors += word_errors(words, normalise(text)) if at == 0 else 0
    return figures


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model_dir", type=Path, help="CTranslate2 Whisper model")
    parser.add_argument("calls_dir", type=Path, help="folder that holds utterances/index.json")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--margin", type=float, default=AsrConfig().margin_s)
    return parser.parse_args()


def main() -> None:
    """Print the table."""
    from faster_whisper import WhisperModel

    args = arguments()
    pairs = utterances(args.calls_dir / "utterances")
    ours = WhisperRecogniser(args.model_dir, AsrConfig(threads=args.threads, margin_s=args.margin))
    theirs = WhisperModel(str(args.model_dir), device="cpu", compute_type="int8", cpu_threads=args.threads)

    def whole(audio: Audio) -> str:
        segments, _ = theirs.transcribe(audio, beam_size=1, language="en")
        return "".join(segment.text for segment in segments)

    figures = measure(
        {"transcribe()": whole, "ours": lambda audio: ours.transcribe(audio).text}, pairs, args.rounds
    )
    words = sum(len(spoken) for _, spoken in pairs)
    seconds = float(np.mean([audio.size / RATE_HZ for audio, _ in pairs]))
    out = [
        f"{len(pairs)} utterances of {seconds:.1f} s on average, {words} words; {args.model_dir.name} int8, "
        f"{args.threads} thread(s), margin {args.margin} s",
        f"{'way':<12} {'n':>4} {'median ms':>9} {'p10':>6} {'p90':>6} {'WER %':>8}",
        *(result.line(name, words) for name, result in figures.items()),
        f"ratio of medians: {np.median(figures['transcribe()'].ms) / np.median(figures['ours'].ms):.1f}",
    ]
    sys.stdout.write("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
