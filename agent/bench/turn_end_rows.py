"""Silences as numbers only: what the turn-end model is trained on. No word and no sound can be got back from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from agent.bench.turn_end_evidence import Asked
from agent.bench.turn_end_policy import evidence_at
from agent.bench.turn_end_walk import Kind
from stages.endpoint.signs import signs

_ALL_KNOWN_MS = 5000.0


@dataclass(frozen=True, slots=True)
class Row:
    """One silence.

    Attributes:
        length_ms: None where no voice follows.
        late_ms: from the labelled end of the turn to where the silence begins for voice activity.
        sound: the sound model's probability by the length of silence at which it was asked.
        signs: every other sign, with all evidence known.
    """

    call: str
    synthetic: bool
    turn: int
    kind: Kind
    length_ms: float | None
    late_ms: float
    sound: dict[float, float]
    signs: dict[str, float]

    def as_json(self) -> dict[str, Any]:
        """For the file of rows."""
        length = None if self.length_ms is None else round(self.length_ms)
        return {
            "call": self.call, "synthetic": self.synthetic, "turn": self.turn, "kind": self.kind,
            "length_ms": length, "late_ms": round(self.late_ms),
            "sound": {f"{at:.0f}": round(p, 4) for at, p in self.sound.items()},
            "signs": {name: round(value, 3) for name, value in self.signs.items() if value},
        }  # fmt: skip


def row_from(data: Mapping[str, Any]) -> Row:
    """A row of the file. Raises KeyError, TypeError, ValueError."""
    length = data["length_ms"]
    sound = {float(at): float(p) for at, p in data["sound"].items()}
    found = {str(name): float(value) for name, value in data["signs"].items()}
    return Row(
        str(data["call"]), bool(data["synthetic"]), int(data["turn"]), data["kind"],
        None if length is None else float(length), float(data["late_ms"]), sound, found,
    )  # fmt: skip


def rows_of(call: str, synthetic: bool, asked: Iterable[Asked]) -> list[Row]:
    """The rows of one call."""
    rows = []
    for one in asked:
        silence = one.silence
        length = None if silence.length_ms == float("inf") else silence.length_ms
        found = signs(evidence_at(one, _ALL_KNOWN_MS))
        found = {name: value for name, value in found.items() if not name.startswith("sound")}
        late = silence.start_ms - silence.true_end_ms if silence.kind == "shift" else 0.0
        rows.append(Row(call, synthetic, silence.turn, silence.kind, length, late, one.sound, found))
    return rows
