"""The controller: which ways to answer stand open at this moment of the turn, and which one is taken.

Pure: ``decide(turn, situation, predictor, config)`` at each event of a turn. It may change its mind until the reply
is heard.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from latency_budget.choice import Choice, Limits, Option, choose
from latency_budget.config import BudgetConfig
from latency_budget.exchange import Path
from latency_budget.predictor import Forecast, Predictor, Work
from latency_budget.profile import Stage


@dataclass(frozen=True, slots=True)
class Candidate:
    """A path and what it still has to do.

    Attributes:
        path: which.
        works: what is left to do until its first piece that answers is in the output.
        quality: the share of such answers that are right, by the council's benchmark or the candidate's own
            confidence; for a cached or prepared reply times the chance that it fits.
        price: CPU seconds (or money) that it still costs.
    """

    path: Path
    works: tuple[Work, ...]
    quality: float
    price: float = 0.0


@dataclass(frozen=True, slots=True)
class Situation:
    """What is known at one event.

    Attributes:
        waited_ms: since the caller's last voiced sample.
        candidates: the paths that stand open.
        turn_end_ms: silence after which the turn will be committed, as far as is known; 0 once it is.
        bridge_ms: length of the bridge phrase that could be said; None where none is in memory.
    """

    waited_ms: float
    candidates: tuple[Candidate, ...]
    turn_end_ms: float = 0.0
    bridge_ms: float | None = None


@dataclass(frozen=True, slots=True)
class TurnState:
    """What the controller remembers within a turn. A new turn begins with :meth:`next_turn`."""

    choice: Choice | None = None
    begun: bool = False  # something of the answer was heard: nothing is changed any more
    bridge_heard_ms: float | None = None  # when this turn's bridge phrase was heard
    bridge_until_ms: float = 0.0  # when it ends
    last_bridge: str | None = None

    def next_turn(self) -> TurnState:
        """Only the last bridge phrase is remembered."""
        return TurnState(last_bridge=self.last_bridge)

    @property
    def bridged(self) -> bool:
        """Whether this turn had its bridge phrase."""
        return self.bridge_heard_ms is not None

    def heard(self) -> TurnState:
        """The answer's first audible sample."""
        return replace(self, begun=True)

    def bridged_with(self, phrase: str, heard_ms: float, length_ms: float) -> TurnState:
        """A bridge phrase is heard from ``heard_ms`` after the caller's last voiced sample, for ``length_ms``."""
        return replace(
            self, last_bridge=phrase, bridge_heard_ms=heard_ms, bridge_until_ms=heard_ms + length_ms
        )


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do now.

    Attributes:
        choice: the path, the predictions and the reason.
        changed: whether the path is another one than before.
        not_before_ms: when the reply may be heard at the earliest, after the caller's last voiced sample.
    """

    choice: Choice
    changed: bool
    not_before_ms: float


def decide(
    state: TurnState, situation: Situation, predictor: Predictor, config: BudgetConfig
) -> tuple[TurnState, Decision]:
    """Choose, or choose again. After the answer has begun the choice stands."""
    not_before = max(config.min_gap_ms, situation.turn_end_ms)
    if state.begun and state.choice is not None:
        return state, Decision(state.choice, False, not_before)
    if state.bridged:
        options, limits = _after_bridge(state, situation, predictor, config)
    else:
        options = list(_plain(situation, predictor, not_before))
        bare = predictor.forecast([Work(Stage.OUTPUT)], not_before)
        limits = Limits.of(
            config, bare.quantile(config.confidence) if not_before > config.min_gap_ms else 0.0
        )
        if situation.bridge_ms is not None and config.bridge.enabled:
            options += _bridged(options, situation, predictor, config, not_before)
    choice = choose(options, config, limits)
    before = None if state.choice is None or state.choice.option is None else state.choice.option.name
    now = None if choice.option is None else choice.option.name
    return replace(state, choice=choice), Decision(choice, before != now, not_before)


def next_bridge(phrases: Sequence[str], last: str | None) -> str | None:
    """The phrase to say: never the one that was said last; None where there is no other."""
    if not phrases:
        return None
    start = phrases.index(last) + 1 if last in phrases else 0
    found = phrases[start % len(phrases)]
    return None if found == last else found


def hedge_at_ms(forecast: Forecast, *, free_cores: int, remote: bool) -> float | None:
    """When to start a second path too: after the first one's predicted p95, where it takes no core from it."""
    return forecast.quantile(0.95) if remote or free_cores > 0 else None


def unreachable(paths: Mapping[str, Forecast], config: BudgetConfig) -> str | None:
    """Why no path of a quiet machine keeps the budget, with what it can reach; None if one does."""
    reach = {name: one.quantile(config.confidence) for name, one in paths.items()}
    if any(value <= config.budget_ms for value in reach.values()):
        return None
    figures = ", ".join(f"{name} {value:.0f} ms" for name, value in sorted(reach.items(), key=lambda p: p[1]))
    return f"budget_ms {config.budget_ms:.0f} is below what this machine reaches: {figures or 'no path'}"


def _plain(situation: Situation, predictor: Predictor, not_before: float) -> Iterator[Option]:
    for one in situation.candidates:
        content = predictor.forecast(one.works, situation.waited_ms, not_before)
        yield Option(one.path, content, one.quality, one.price)


def _bridged(
    options: Sequence[Option],
    situation: Situation,
    predictor: Predictor,
    config: BudgetConfig,
    not_before: float,
) -> list[Option]:
    """The late ones with a bridge phrase in front, as far as the answer can follow it without a gap."""
    assert situation.bridge_ms is not None
    bridge = predictor.forecast([Work(Stage.OUTPUT)], situation.waited_ms, not_before)
    covered = bridge.mean_ms + situation.bridge_ms
    return [
        Option(
            one.path,
            replace(one.content, estimate=replace(one.content.estimate, floor_ms=covered)),
            one.quality - config.bridge.costs,
            one.price,
            bridge,
        )
        for one in options
        if one.content.chance_within(config.budget_ms) < config.confidence
        and one.content.quantile(config.confidence) <= covered + config.bridge.longest_gap_ms
        and covered - one.content.mean_ms <= config.bridge.longest_delay_ms
    ]


def _after_bridge(
    state: TurnState, situation: Situation, predictor: Predictor, config: BudgetConfig
) -> tuple[list[Option], Limits]:
    """The caller hears a bridge phrase: what follows it without a gap is in time."""
    until = state.bridge_until_ms
    in_time = max(until, situation.waited_ms) + config.bridge.longest_gap_ms
    late = max(0.0, in_time - config.budget_ms)
    return list(_plain(situation, predictor, until)), Limits(in_time, config.give_up_ms + late)
