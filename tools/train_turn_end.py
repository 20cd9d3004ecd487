"""Fits the turn-end model to the rows that ``main.py bench turn-end --rows FILE`` wrote.

    python -m tools.train_turn_end stages/endpoint/data/turn_end_rows.json --out stages/endpoint/data/turn_end.json

Logistic regression by Newton steps with a small penalty. Signs whose direction is beyond doubt keep it (a hanging
"and" can only speak against the end): with this little data that is worth more than another sign. Recorded and made
calls are fitted together, but the sound of made calls gets weights of its own, which are thrown away: a synthetic
voice ends each segment as if it were the last. Held-out figures leave one call out, its own made double included.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from agent.bench.turn_end_policy import LEAST_MS
from agent.bench.turn_end_rows import Row, row_from
from stages.endpoint.fused import KNOTS_MS
from stages.endpoint.signs import HEADS, of_sound

AT_MS = (96.0, 160.0, 224.0, 320.0, 448.0, 640.0, 896.0, 1280.0, 1800.0, 2400.0)
"""Lengths of silence at which a silence that lasts so long is a sample."""

PENALTY = 10.0
REAL = 3.0
"""What a recorded silence counts against a made one: recorded calls are what the model is for."""
PRIOR = {
    "sound": 0.4, "text_end": 0.5, "hanging": -1.5, "filler": -1.5, "closing": 1.0, "greeting": -1.5,
    "introduces": -1.5, "waits": -2.0, "question": 0.5, "full_stop": 0.5, "broken_off": -1.0,
    "digits_missing": -1.5, "answer_to_come": -1.5, "unasked": -1.0, "pauses": -0.3,
}  # fmt: skip
"""What is believed before any row is seen, and what the penalty pulls towards: the direction is common knowledge, the
size a guess of the right order. The data decide where they are many; elsewhere the guess stays."""

SHARES = (0.01, 0.02, 0.03, 0.05, 0.075, 0.10, 0.15, 0.20, 0.30)
MIN_HOLD_MS = 200.0
TIMEOUT_MS = 3000.0
WINDOW_MS = 32.0


def features(row: Row, at_ms: float, names: Sequence[str]) -> list[float]:
    """The signs ``names`` of ``row`` after ``at_ms`` of silence."""
    known = [
        p for ask, p in row.sound.items() if (ask - 64.0) % 96.0 == 0.0 and ask + 64.0 <= max(at_ms, 128.0)
    ]
    found = dict(row.signs)
    if known:
        found["sound"] = of_sound(known)
    return [found.get(name, 0.0) for name in names]


def of_silence(at_ms: float) -> list[float]:
    """How far each piece of the silence's curve is passed, 0 to 1."""
    pairs = pairwise(KNOTS_MS)
    return [min(1.0, max(0.0, (at_ms - low) / (high - low))) for low, high in pairs]


def fit(
    x: np.ndarray,
    y: np.ndarray,
    counts: np.ndarray,
    penalty: np.ndarray,
    prior: np.ndarray,
    direction: np.ndarray,
) -> np.ndarray:
    """Logistic regression, pulled towards ``prior``; a weight that would turn against its direction is held at 0."""

    def loss(w: np.ndarray) -> float:
        z = x @ w
        return float(counts @ (np.logaddexp(0.0, z) - y * z) + 0.5 * penalty @ (w - prior) ** 2)

    held = np.zeros(x.shape[1], dtype=bool)
    while True:
        free = ~held
        w = np.where(held, 0.0, prior)
        for _ in range(100):
            p = 1.0 / (1.0 + np.exp(-np.clip(x @ w, -30, 30)))
            gradient = x.T @ (counts * (p - y)) + penalty * (w - prior)
            hessian = (x * (counts * p * (1 - p))[:, None]).T @ x + np.diag(penalty)
            step = np.zeros_like(w)
            step[free] = np.linalg.solve(hessian[np.ix_(free, free)], gradient[free])
            while loss(w - step) > loss(w) + 1e-12 and np.abs(step).max() > 1e-9:
                step /= 2.0
            w = w - step
            if np.abs(step).max() < 1e-6:
                break
        wrong = free & (w * direction < 0)
        if not wrong.any():
            return w
        held |= wrong


def train_head(rows: Sequence[Row], names: Sequence[str]) -> dict[str, Any]:
    """One head: constant, weights and curve."""
    sound = [at for at, name in enumerate(names) if name == "sound"]
    samples, truth, counts = [], [], []
    for row in rows:
        for at_ms in AT_MS:
            lasts = row.length_ms is None or row.length_ms + WINDOW_MS >= at_ms
            if not lasts or (sound and not row.sound):
                continue
            own = features(row, at_ms, names)
            made = [own[at] for at in sound] if row.synthetic else [0.0] * len(sound)
            if row.synthetic:
                for at in sound:
                    own[at] = 0.0
            samples.append([1.0, float(row.synthetic), *made, *of_silence(at_ms), *own])
            truth.append(float(row.kind == "shift"))
            counts.append(1.0 if row.synthetic else REAL)
    x, y = np.array(samples), np.array(truth)
    pieces, first = len(KNOTS_MS) - 1, 2 + len(sound)
    penalty = np.array([0.01, 1.0] + [PENALTY] * len(sound) + [0.1] * pieces + [PENALTY] * len(names))
    believed = [PRIOR.get(name, 0.0) for name in names]
    prior = np.array([0.0] * (first + pieces) + believed)
    direction = np.array([0.0, 0.0] + [1.0] * (len(sound) + pieces) + [float(np.sign(v)) for v in believed])
    w = fit(x, y, np.array(counts), penalty, prior, direction)
    curve = np.concatenate([[0.0], np.cumsum(w[first : first + pieces])])
    weights = {name: round(float(v), 4) for name, v in zip(names, w[first + pieces :], strict=True) if v}
    return {
        "constant": round(float(w[0]), 4),
        "weights": weights,
        "silence": [round(float(v), 4) for v in curve],
    }


def train(rows: Sequence[Row]) -> dict[str, Any]:
    """All heads."""
    return {name: train_head(rows, names) for name, names in HEADS.items()}


def trace(row: Row, heads: dict[str, Any]) -> list[tuple[float, float]]:
    """Log-odds of ``row`` at each window of silence, all evidence known as soon as live."""
    found = []
    for at in range(int(LEAST_MS), int(KNOTS_MS[-1]) + 33, 32):
        name = "sound words end" if row.sound else "words end"
        head = heads[name]
        own = zip(head["weights"].values(), features(row, at, list(head["weights"])), strict=True)
        curve = float(np.interp(at, KNOTS_MS, head["silence"]))
        found.append((float(at), head["constant"] + curve + sum(w * v for w, v in own)))
    return found


def calibration(held_out: Sequence[tuple[Row, dict[str, Any]]]) -> list[list[float]]:
    """For each accepted share of holds the lowest log-odds that keeps to it, on rows that the weights never saw."""
    peaks, holds = [], 0
    for row, heads in held_out:
        if row.kind != "hold" or row.length_ms is None:
            continue
        holds += row.length_ms >= MIN_HOLD_MS
        if row.length_ms >= TIMEOUT_MS:
            peaks.append(99.0)  # the time-out cuts in here, whatever the odds
            continue
        lasting = [odds for at, odds in trace(row, heads) if at <= row.length_ms + WINDOW_MS]
        peaks.append(max(lasting, default=-99.0))
    peaks.sort(reverse=True)
    table = []
    for share in SHARES:
        allowed = int(share * holds)
        table.append([share, round(min(9.0, peaks[allowed] + 1e-3), 4)])
    return table


def leave_one_out(rows: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """Heads by the call that they never saw."""
    return {call: train([r for r in rows if r.call != call]) for call in sorted({r.call for r in rows})}


def document(rows: Sequence[Row]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The shipped weights, and the folds."""
    folds = leave_one_out(rows)
    held_out = [(row, folds[row.call]) for row in rows]
    shipped = {"heads": train(rows), "calibration": calibration(held_out), "trained_on": about(rows)}
    tables = {call: calibration([one for one in held_out if one[0].call != call]) for call in folds}
    return shipped, {call: {"heads": folds[call], "calibration": tables[call]} for call in folds}


def about(rows: Sequence[Row]) -> dict[str, Any]:
    """What the weights rest on."""
    kinds = [(row.kind, row.synthetic) for row in rows]
    long = [(r.kind, r.synthetic) for r in rows if r.length_ms is None or r.length_ms >= MIN_HOLD_MS]
    return {
        "recorded_calls": sorted({row.call for row in rows if not row.synthetic}),
        "made_calls": len({row.call for row in rows if row.synthetic}),
        "shifts": {"recorded": kinds.count(("shift", False)), "made": kinds.count(("shift", True))},
        "holds_of_200_ms": {"recorded": long.count(("hold", False)), "made": long.count(("hold", True))},
        "shorter_holds": kinds.count(("hold", False)) + kinds.count(("hold", True))
        - long.count(("hold", False)) - long.count(("hold", True)),
    }  # fmt: skip


def main() -> None:
    """See the top of this file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("rows", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--folds", type=Path, required=True)
    given = parser.parse_args()
    rows = [row_from(row) for row in json.loads(given.rows.read_text())["rows"]]
    shipped, folds = document(rows)
    for path, data in ((given.out, shipped), (given.folds, folds)):
        path.write_text(json.dumps(data, indent=1) + "\n")
    sys.stdout.write(f"{json.dumps(shipped['trained_on'])}\n")


if __name__ == "__main__":
    main()
