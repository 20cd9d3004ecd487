"""PURE: what the turn-end keys would have done on recorded silences: exact, and a millisecond's work each.

The models' answers to every silence are asked once (as ``bench turn-end`` does); when the turn would have been taken
for over follows from them and the keys alone. When the reply would then have been heard rests on the replay before
the change: a reply that was ready at so many ms after the last word is heard at the turn's end, or then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

import numpy as np

from agent.bench.turn_end_evidence import Asked
from agent.bench.turn_end_fused import Fused, HeldOut
from agent.bench.turn_end_policy import LEAST_MS
from agent.bench.turn_end_walk import WINDOW_MS
from agent.report.turns import Turn
from stages.endpoint.words import wants_more, word_signs

TurnKey = tuple[str, int]
USUAL_READY_MS = 150.0
USUAL_OUTPUT_MS = 20.0
"""Where no turn of the replay says: from the last word to a reply in memory, and from there to the ear."""


@dataclass(frozen=True, slots=True)
class Ready:
    """When replies were in memory, in ms after the caller's last voiced sample, and what the output adds."""

    by_turn: Mapping[TurnKey, float]
    usual_ms: float = USUAL_READY_MS
    output_ms: float = USUAL_OUTPUT_MS

    @classmethod
    def of(cls, turns: Iterable[Turn]) -> Ready:
        """As the replayed ``turns`` have it."""
        by_turn: dict[TurnKey, float] = {}
        output: list[float] = []
        for turn in turns:
            ways = turn.decision.ways if turn.decision else []
            at = [way.ready_ms for way in ways if way.heard and way.ready_ms is not None]
            if at:
                by_turn[(turn.call, turn.turn)] = max(0.0, at[0])
            if turn.parts_ms is not None:
                output.append(float(turn.parts_ms.output))
        usual = median(by_turn.values()) if by_turn else USUAL_READY_MS
        return cls(by_turn, usual, median(output) if output else USUAL_OUTPUT_MS)

    def audible_ms(self, commit_ms: float, turn: TurnKey | None = None) -> float:
        """When the reply is heard, after the last word, if the turn is taken for over at ``commit_ms``."""
        ready = self.usual_ms if turn is None else self.by_turn.get(turn, self.usual_ms)
        return max(commit_ms, ready) + self.output_ms


@dataclass(frozen=True, slots=True)
class Expected:
    """What to expect of a setting: shares are of the callers' turns."""

    turns: int
    waited_ms: float
    within: float
    cut_ins: float


@dataclass
class Judge:
    """Judges turn-end settings on the silences of labelled calls. ``budget_ms``: what counts as within."""

    calls: Mapping[str, Sequence[Asked]]
    weights: HeldOut
    ready: Ready
    budget_ms: float
    _traces: dict[int, list[tuple[float, float]]] = field(default_factory=dict)
    _unfinished: dict[int, bool] = field(default_factory=dict)

    def expected(
        self, cut_ins: float, timeout_ms: float, unfinished_timeout_ms: float, least_ms: float = LEAST_MS
    ) -> Expected:
        """What these keys would have brought. Raises ValueError where no silence ends a turn."""
        traces = self._traces
        usual = Fused(self.weights, cut_ins, timeout_ms=timeout_ms, least_ms=least_ms, traces=traces)
        longer = max(timeout_ms, unfinished_timeout_ms)
        unfinished = Fused(self.weights, cut_ins, timeout_ms=longer, least_ms=least_ms, traces=traces)
        waited: dict[TurnKey, float] = {}
        cut: set[TurnKey] = set()
        over: set[TurnKey] = set()
        for name, found in self.calls.items():
            for asked in found:
                key, silence = (name, asked.silence.turn), asked.silence
                policy = unfinished if self._wants_more(asked) else usual
                commit = policy.commit_ms(asked)
                lasts = commit <= silence.length_ms + WINDOW_MS
                if silence.kind == "hold":
                    if lasts and self.ready.audible_ms(commit) <= silence.length_ms:
                        cut.add(key)
                elif key not in over:
                    waited[key] = silence.start_ms + self.ready.audible_ms(commit, key) - silence.true_end_ms
                    if lasts:
                        over.add(key)
        if not waited:
            raise ValueError("no silence of these calls ends a turn")
        values = np.array(list(waited.values()))
        turns = waited.keys() | cut
        return Expected(
            len(turns), float(values.mean()), float(np.mean(values <= self.budget_ms)), len(cut) / len(turns)
        )

    def _wants_more(self, asked: Asked) -> bool:
        known = self._unfinished.get(id(asked))
        if known is None:
            known = bool(asked.text) and wants_more(word_signs(asked.text))
            self._unfinished[id(asked)] = known
        return known
