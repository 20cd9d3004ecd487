"""The engine: first token after words read along, a batch against one, aborts, reuse, and llama-server beside it.

    python -m tools.bench_engine MODEL.gguf [--threads 1] [--rounds 20] [--server]

``--server`` starts llama-server in this process (pip install xllamacpp) on the same file with the same threads; the two
take turns in every round.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from stages.contract import Message, Seat
from stages.council.config import SeatConfig
from stages.council.remote import RemoteSeat
from stages.council.sample import Sampling
from stages.council.seat import LlamaSeat
from stages.council.vocab import Vocab
from stages.errors import Aborted
from tools.bench_seat import QUESTIONS, SYSTEM

Figures = dict[str, list[float]]
LONG_TOKENS = 2000
STEPS = 16


def ms(work: Callable[[], object]) -> float:
    """How long ``work`` takes."""
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000.0


def asked(question: str) -> list[Message]:
    """The prompt of a first turn."""
    return [SYSTEM, Message(role="user", content=question)]


def first_token(seat: Seat, messages: list[Message]) -> float:
    """Milliseconds until a reply's first text; the rest of it is not made."""
    start = time.perf_counter()
    reply = seat.reply(messages, max_tokens=8)
    next(reply)
    took = (time.perf_counter() - start) * 1000.0
    for _ in reply:
        pass  # a server's connection is then kept
    return took


def reading_along(seat: LlamaSeat, at: int, figures: Figures) -> None:
    """The first token when all but the last word was read while the caller spoke, and when nothing was."""
    question = QUESTIONS[at % len(QUESTIONS)]
    seat.prefill([SYSTEM])
    figures["first token, nothing read along"].append(first_token(seat, asked(question)))
    seat.prefill([SYSTEM])
    seat.read_along(asked(question.rsplit(" ", 1)[0]))
    figures["first token, read along to the last word"].append(first_token(seat, asked(question)))


def steps(seat: LlamaSeat, replies: int) -> float:
    """Milliseconds of a step that writes one token of each of ``replies`` replies over one prompt."""
    engine = seat.engine
    prompt = engine.prompt(asked(QUESTIONS[0]))
    branches = [
        engine.open(
            prompt, Sampling(STEPS + 8, 0.9, seed=seed, narrow=_letters(engine.weights.vocab)), rank=1
        )
        for seed in range(replies)
    ]
    while any(not branch.text for branch in branches):
        engine.step()
    took = [ms(engine.step) for _ in range(STEPS)]
    for branch in branches:
        engine.leave(branch)
    return float(np.median(took))


def _letters(vocab: Vocab) -> Callable[[object], list[int]]:
    """Any of some words but never an end, so that each reply is as long as the others."""
    words = [vocab.tokenise(word, with_marks=False)[0] for word in ("the", "bank", "open", "at")]
    return lambda tokens: words


def abort(seat: LlamaSeat, at: int) -> float:
    """Milliseconds from the wish to stop, somewhere in a prompt of 2,000 tokens, to the seat's return."""
    wish, wished = threading.Event(), [0.0]

    def stop() -> None:
        wished[0] = time.perf_counter()
        wish.set()

    prompt = [1000 + (7 * k + at) % 5000 for k in range(LONG_TOKENS)]
    timer = threading.Timer(0.05 + 0.037 * (at % 12), stop)
    reader = seat.engine.open(prompt)
    timer.start()
    try:
        while reader.todo:
            seat.engine.step(wish.is_set)
    except Aborted:
        return (time.perf_counter() - wished[0]) * 1000.0
    finally:
        timer.cancel()
        seat.engine.leave(reader)
    raise SystemExit("The prompt was read before the abort came.")


def reuse(seat: LlamaSeat, turns: int) -> list[float]:
    """Share of the prompt that was in the cache, turn by turn, from the second on."""
    messages, shares = [SYSTEM], list[float]()
    for turn in range(turns):
        messages.append(Message(role="user", content=QUESTIONS[turn % len(QUESTIONS)]))
        said = "".join(piece.text for piece in seat.reply(messages, max_tokens=24))
        messages.append(Message(role="assistant", content=said.strip() or "Yes."))
        cost = seat.last_prefill
        shares.append(cost.reused_tokens / cost.prompt_tokens)
    return shares[1:]


def server(path: Path, threads: int) -> RemoteSeat:
    """llama-server on the same file."""
    xllamacpp = importlib.import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path, params.n_ctx, params.n_parallel = str(path), 2048, 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    made = xllamacpp.Server(params)
    seat = RemoteSeat("model", SeatConfig(server=f"{made.listening_address}/v1", server_timeout_s=60))
    vars(seat)["process"] = made  # lives as long as its seat
    return seat


def main() -> None:
    """Print a table: median, 10th, 90th and 99th percentile."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--server", action="store_true")
    args = parser.parse_args()
    seat = LlamaSeat(args.model, SeatConfig(threads=args.threads, n_ctx=4096))
    peer = server(args.model, args.threads) if args.server else None
    names = ["first token, nothing read along", "first token, read along to the last word"]
    names += ["step of 1 reply", "step of 4 replies", "4 against 1", "abort inside 2,000 tokens"]
    figures: Figures = {name: [] for name in names}
    if peer is not None:
        figures["first token, llama-server, nothing read along"] = []
        first_token(peer, asked(QUESTIONS[-1]))
    for at in range(args.rounds):
        reading_along(seat, at, figures)
        if peer is not None:
            messages = asked(QUESTIONS[at % len(QUESTIONS)])
            figures["first token, llama-server, nothing read along"].append(first_token(peer, messages))
        figures["abort inside 2,000 tokens"].append(abort(seat, at))
        if at < max(3, args.rounds // 4):
            one, four = steps(seat, 1), steps(seat, 4)
            for name, value in (
                ("step of 1 reply", one),
                ("step of 4 replies", four),
                ("4 against 1", four / one),
            ):
                figures[name].append(value)
    shares = reuse(seat, 10)
    sys.stdout.write(f"{args.model.name}, {args.threads} thread(s), {args.rounds} rounds; ms\n")
    for name, values in figures.items():
        low, middle, high, last = np.percentile(values, [10, 50, 90, 99])
        sys.stdout.write(
            f"  {name:<42} {middle:7.2f}  ({low:.2f} to {high:.2f}, p99 {last:.2f}, n {len(values)})\n"
        )
    sys.stdout.write(
        f"  tokens reused between turns: median {np.median(shares):.3f}, least {min(shares):.3f}\n"
    )
    seat.close()


if __name__ == "__main__":
    main()
