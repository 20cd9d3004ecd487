"""Follows a call while it runs: writes each turn down as soon as nothing can change it any more."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agent.recorder import Recorder
from agent.replay.exchanges import details, exchanges
from agent.report.rows import turn_row, unmatched_rows
from agent.report.schema import Turn, UnmatchedRow
from latency_budget.config import BudgetConfig
from latency_budget.exchange import CallerTurn
from latency_budget.outcome import match
from latency_budget.settled import settled


class LiveRows:
    """Turns labelled turns and the agent's records into rows; ``on_row`` gets each finished one, once."""

    def __init__(
        self,
        call: str,
        turns: Sequence[CallerTurn],
        recorder: Recorder,
        budget: BudgetConfig,
        on_row: Callable[[Turn], None],
    ) -> None:
        self._call, self._turns, self._recorder, self._budget = call, turns, recorder, budget
        self._on_row = on_row
        self._written = 0

    def update(self, position_ms: float) -> None:
        """Write what is settled at ``position_ms`` of the call."""
        count = settled(self._turns, exchanges(self._recorder), position_ms)
        if count > self._written:
            self._write(count)

    def finish(self) -> list[UnmatchedRow]:
        """The call is over: write the rest; returns the replies that belong to no turn."""
        self._write(len(self._turns))
        return unmatched_rows(
            self._call, match(self._turns, exchanges(self._recorder)), details(self._recorder)
        )

    def stop(self, position_ms: float) -> None:
        """The call was broken off: only turns that are over count."""
        self._turns = [turn for turn in self._turns if turn.end_ms < position_ms]
        self.update(position_ms)

    def _write(self, count: int) -> None:
        outcomes = match(self._turns, exchanges(self._recorder)).outcomes
        noted = details(self._recorder)
        for outcome in outcomes[self._written : count]:
            self._on_row(turn_row(self._call, outcome, noted, self._budget))
        self._written = max(self._written, count)
