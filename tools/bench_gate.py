"""The gate against invented text: what passes of noise, babble and real speech, and why the rest does not.

    python -m tools.bench_gate MODEL_DIR CALLS_DIR

Noise is CALLS_DIR/noise in stretches of 1, 3 and 8 s, and sounds made here; speech is the single utterances and every
caller segment of the two-party calls. Babble (other people's voices) is counted apart: it is speech, only not for us.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from stages.asr.whisper import WhisperRecogniser
from stages.audio.read import read_audio
from stages.contract import RATE_HZ, Audio

Sound = tuple[str, str, Audio]
"""Kind, name, samples."""

_BABBLE = ("crowded-room", "people_talking", "call-center")


def made(seconds: int) -> Iterator[Sound]:
    """Silence, hum, tones, clicks and noise."""
    rng, at = np.random.default_rng(0), np.arange(seconds * RATE_HZ) / RATE_HZ
    sounds = {
        "zeros": 0 * at,
        "white -60 dB": 0.001 * rng.standard_normal(at.size),
        "white -40 dB": 0.01 * rng.standard_normal(at.size),
        "white -20 dB": 0.1 * rng.standard_normal(at.size),
        "brown": 0.0005 * np.cumsum(rng.standard_normal(at.size)),
        "hum": 0.05 * np.sin(2 * np.pi * 50 * at) + 0.03 * np.sin(2 * np.pi * 150 * at),
        "dial tone": 0.2 * np.sin(2 * np.pi * 425 * at),
        "clicks": 0.5 * (rng.random(at.size) < 0.0003),
    }
    for name, sound in sounds.items():
        yield "noise", name, sound.astype(np.float32)


def recorded_noise(folder: Path, seconds: int) -> Iterator[Sound]:
    """Every second stretch of the first 24 s of each file."""
    for entry in json.loads((folder / "index.json").read_text(encoding="utf-8")):
        audio = read_audio(folder / entry["file"], end_s=24.0).samples
        kind = "babble" if any(name in entry["file"] for name in _BABBLE) else "noise"
        step = seconds * RATE_HZ
        for start in range(0, max(1, audio.size - step // 2), 2 * step):
            yield kind, entry["file"], audio[start : start + step]


def speech(calls: Path) -> Iterator[Sound]:
    """Single utterances, and the caller's segments with 0.2 s in front and 0.1 s behind."""
    folder = calls / "utterances"
    for entry in json.loads((folder / "index.json").read_text(encoding="utf-8")):
        yield "speech", entry["text"], read_audio(folder / entry["file"], end_s=28.0).samples
    for path in sorted((calls / "two_party").glob("*.call.json")):
        call = json.loads(path.read_text(encoding="utf-8"))
        place = call["caller"]
        audio = read_audio(path.parent / place["file"], channel=place["channel"]).samples
        for turn in call["turns"]:
            if turn["role"] == "caller":
                start, end = max(0.0, turn["start_s"] - 0.2), turn["end_s"] + 0.1
                yield "speech", turn["text"], audio[int(start * RATE_HZ) : int(end * RATE_HZ)]


def main() -> None:
    """Print what passed, and each mistake on a line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model_dir", type=Path)
    parser.add_argument("calls_dir", type=Path)
    args = parser.parse_args()
    recogniser = WhisperRecogniser(args.model_dir)
    sounds = [sound for seconds in (1, 3, 8) for sound in made(seconds)]
    sounds += [sound for seconds in (1, 3, 8) for sound in recorded_noise(args.calls_dir / "noise", seconds)]
    verdicts: dict[str, Counter[str]] = {}
    for kind, name, audio in [*sounds, *speech(args.calls_dir)]:
        heard = recogniser.transcribe(audio)
        verdicts.setdefault(kind, Counter())[heard.rejected or "passed"] += 1
        if (heard.rejected is None) != (kind == "speech"):
            what = heard.rejected or heard.text
            sys.stdout.write(f"  {kind}: {name!r} ({audio.size / RATE_HZ:.1f} s): {what}\n")
    for kind, counts in verdicts.items():
        sys.stdout.write(f"{kind:<7} {sum(counts.values()):>4}: {dict(counts.most_common())}\n")


if __name__ == "__main__":
    main()
