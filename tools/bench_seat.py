"""A language-model seat: time to the first token with the prefix kept, tokens a second, and how fast it stops.

    python -m tools.bench_seat MODEL.gguf [MODEL.gguf ...] [--threads 1 2] [--rounds 5]

The models and thread counts take turns in every round, so that what else the machine does hits all alike.
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from pathlib import Path

import numpy as np

from stages.contract import Message
from stages.council.config import SeatConfig
from stages.council.seat import LlamaSeat
from stages.errors import Aborted

_FACTS = (
    "The branch in Main Street opens at nine and closes at five. A transfer abroad costs twelve dollars. "
)
SYSTEM = Message(
    role="system", content="You answer the phone of a bank, in one short sentence. " + _FACTS * 8
)
QUESTIONS = ("When do you open?", "What does a transfer abroad cost?", "And when do you close today?")
ABORT_AFTER_S = 0.15


def one_round(seat: LlamaSeat, at: int, figures: dict[str, list[float]]) -> None:
    """A cold prompt, a reply with the prefix kept, and a long prompt that is stopped."""
    fresh = Message(role="system", content=f"Call {at}. {SYSTEM['content']}")
    start = time.perf_counter()
    cost = seat.prefill([fresh])
    figures["prefill tok/s"].append(cost.prompt_tokens / (time.perf_counter() - start))

    start = time.perf_counter()
    ask = Message(role="user", content=QUESTIONS[at % len(QUESTIONS)])
    ends = [time.perf_counter() for _ in seat.reply([fresh, ask], max_tokens=24)]
    figures["first token ms"].append((ends[0] - start) * 1000.0)
    if len(ends) > 4:
        figures["reply tok/s"].append((len(ends) - 1) / (ends[-1] - ends[0]))
    figures["abort ms"].append(stopping(seat, at))


def stopping(seat: LlamaSeat, at: int) -> float:
    """Milliseconds from the wish to stop inside a long prompt to the seat's return."""
    wish = threading.Event()
    wished = [0.0]

    def stop() -> None:
        wished[0] = time.perf_counter()
        wish.set()

    timer = threading.Timer(ABORT_AFTER_S, stop)
    timer.start()
    try:
        seat.prefill([Message(role="user", content=f"{at} " + _FACTS * 60)], abort=wish.is_set)
    except Aborted:
        return (time.perf_counter() - wished[0]) * 1000.0
    finally:
        timer.cancel()
    raise SystemExit("The prompt was read before the abort came; make it longer.")


def main() -> None:
    """Print a table: medians, with the 10th and 90th percentile."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    names = ("prefill tok/s", "first token ms", "reply tok/s", "abort ms")
    seats = {(p, n): LlamaSeat(p, SeatConfig(threads=n)) for p in args.models for n in args.threads}
    figures = {key: {name: list[float]() for name in names} for key in seats}
    for at in range(args.rounds):
        for key, seat in seats.items():
            one_round(seat, at, figures[key])
    for (path, threads), found in figures.items():
        sys.stdout.write(f"{path.name}, {threads} thread(s), {args.rounds} rounds\n")
        for name, values in found.items():
            low, middle, high = np.percentile(values, [10, 50, 90])
            sys.stdout.write(f"  {name:<15} {middle:8.1f}  ({low:.1f} to {high:.1f})\n")
    for seat in seats.values():
        seat.close()


if __name__ == "__main__":
    main()
