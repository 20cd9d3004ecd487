"""What to do at one event of a turn: what to start, what to stop, what may be heard. Pure.

The safe order on few cores: first something that can be said, then, while there is slack, something better. A second
way beside the first only where it takes no core from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from latency_budget.choice import Choice
from latency_budget.config import BudgetConfig
from latency_budget.exchange import Path
from latency_budget.policy import Candidate, Decision, Situation, TurnState, decide, hedge_at_ms
from latency_budget.predictor import Predictor, Work
from latency_budget.profile import Stage

SOON_MS = 1.0
"""A wake-up sooner than this is now."""
ROOM_MS = 5.0
"""How long before the last moment it is decided: the decision itself and the loop take some of it."""

RECHECK_MS = 50.0
"""How often it is decided again while nothing is ready and there are several ways."""


@dataclass(frozen=True, slots=True)
class Way:
    """A way of answering as it stands.

    Attributes:
        candidate: its path, what is left to do, quality and price.
        started: work on it has begun.
        busy: it holds cores.
        ready: its first audio is in memory.
        room: starting it takes no core from the others: cores are free, or it runs elsewhere.
    """

    candidate: Candidate
    started: bool = False
    busy: bool = False
    ready: bool = False
    room: bool = False

    @property
    def path(self) -> Path:
        """Which."""
        return self.candidate.path


@dataclass(frozen=True, slots=True)
class Moment:
    """One event of a turn.

    Attributes:
        waited_ms: since the caller's last voiced sample.
        over: the turn is committed.
        turn_end_ms: silence at which it was, or as far as is known will be.
        ways: all that can still answer.
        bridge: the phrase that could be said, and its length; None where none is in memory.
    """

    waited_ms: float
    over: bool
    turn_end_ms: float
    ways: tuple[Way, ...]
    bridge: tuple[str, float] | None = None


@dataclass(frozen=True, slots=True)
class Orders:
    """What to do now.

    Attributes:
        decision: what it rests on.
        start: ways to begin.
        abort: ways to stop.
        lead: the way that is to be heard; None: the safe sentence.
        play: ``lead`` may be heard from now on.
        bridge: the phrase to say before it.
        again_ms: decide again at the latest after this; None: at the next event.
    """

    decision: Decision
    start: tuple[Path, ...] = ()
    abort: tuple[Path, ...] = ()
    lead: Path | None = None
    play: bool = False
    bridge: str | None = None
    again_ms: float | None = None


def steer(
    state: TurnState, moment: Moment, predictor: Predictor, config: BudgetConfig
) -> tuple[TurnState, Orders]:
    """Decide again, and say what follows from it."""
    situation = Situation(
        moment.waited_ms,
        tuple(way.candidate for way in moment.ways),
        moment.turn_end_ms,
        moment.bridge[1] if moment.bridge else None,
    )
    state, decision = decide(state, situation, predictor, config)
    if state.begun:
        idle = tuple(way.path for way in moment.ways if way.busy and way.path != _path(decision.choice))
        return state, Orders(decision, abort=idle, lead=_path(decision.choice), play=True)
    if config.price_cap is not None:
        moment = replace(moment, ways=tuple(way for way in moment.ways if _payable(way, config.price_cap)))
    lead = _lead(decision.choice, moment, config)
    start = _start(lead, moment, predictor, config)
    abort = _abort(lead, start, moment)
    free = moment.over and moment.waited_ms >= decision.not_before_ms - SOON_MS
    bridge = moment.bridge[0] if free and moment.bridge and _wants_bridge(decision.choice, lead) else None
    if bridge and moment.bridge:
        output = predictor.forecast([Work(Stage.OUTPUT)], moment.waited_ms).mean_ms
        state = state.bridged_with(bridge, output, moment.bridge[1])
    heard = free and (lead is not None or _too_late(moment, config))
    again = _again(lead, moment, decision, predictor, config)
    return state, Orders(decision, start, abort, lead, heard, bridge, again)


def _path(choice: Choice) -> Path | None:
    return None if choice.option is None else choice.option.path


def _payable(way: Way, cap: float) -> bool:
    return way.started or way.candidate.price <= cap


def _wants_bridge(choice: Choice, lead: Path | None) -> bool:
    return choice.option is not None and choice.option.bridge is not None and choice.option.path == lead


def _lead(choice: Choice, moment: Moment, config: BudgetConfig) -> Path | None:
    """The chosen way. Where nothing is expected in time, what is ready after all; else what is nearest to it."""
    chosen = _path(choice)
    if chosen is not None:
        return chosen
    ready = [way for way in moment.ways if way.ready]
    if ready:
        return max(ready, key=lambda way: way.candidate.quality).path
    if moment.over and _too_late(moment, config):
        return None
    under_way = [way for way in moment.ways if way.started] or moment.ways
    return under_way[0].path if under_way else None


def _too_late(moment: Moment, config: BudgetConfig) -> bool:
    """The budget is spent, or nothing is left: whoever is not expected is not waited for any more."""
    if not moment.ways:
        return True
    return moment.waited_ms >= max(config.budget_ms, moment.turn_end_ms) - SOON_MS


def _start(lead: Path | None, moment: Moment, predictor: Predictor, config: BudgetConfig) -> tuple[Path, ...]:
    """The chosen way, behind something quicker where that still leaves it time; and a hedge where there is room."""
    wanted = next((way for way in moment.ways if way.path == lead), None)
    if wanted is None:
        return ()
    others = [way for way in moment.ways if way is not wanted]
    if wanted.started:
        return _hedge(wanted, others, moment, predictor, config)
    if any(way.ready for way in others):
        busy = any(way.busy for way in others)
        return (wanted.path,) if wanted.room or not busy else ()
    begun = [way for way in others if way.started]
    if begun:
        # It was chosen after all: what is under way is not quick enough, or is done and no longer wanted.
        held = any(way.busy for way in begun) and not wanted.room
        better = all(wanted.candidate.quality > way.candidate.quality for way in begun)
        return () if held and better else (wanted.path,)
    first = _fallback(wanted, others, moment, predictor, config)
    return (wanted.path,) if first is None else (first.path,)


def _fallback(
    wanted: Way, others: Sequence[Way], moment: Moment, predictor: Predictor, config: BudgetConfig
) -> Way | None:
    """The quickest other way, if ``wanted`` still keeps the budget behind it."""
    found = None
    best = predictor.forecast(wanted.candidate.works, moment.waited_ms).mean_ms
    for way in others:
        alone = predictor.forecast(way.candidate.works, moment.waited_ms).mean_ms
        both = predictor.forecast((*way.candidate.works, *wanted.candidate.works), moment.waited_ms)
        if alone < best and both.chance_within(config.budget_ms) >= config.confidence:
            found, best = way, alone
    return found


def _hedge(
    first: Way, others: Sequence[Way], moment: Moment, predictor: Predictor, config: BudgetConfig
) -> tuple[Path, ...]:
    """A second way where there is room: once the first is later than its predicted p95, or while it still can be in
    time.
    """
    if first.ready or any(way.started for way in others):
        return ()
    late = _overdue(first, predictor)
    for way in others:
        in_time = config.budget_ms - predictor.forecast(way.candidate.works, moment.waited_ms).quantile(
            config.confidence
        )
        if way.room and (late or 0.0 <= in_time < RECHECK_MS):
            return (way.path,)
    return ()


def _overdue(way: Way, predictor: Predictor) -> bool:
    at = _hedge_in_ms(way, predictor, room=True)
    return at is not None and at <= SOON_MS


def _hedge_in_ms(way: Way, predictor: Predictor, *, room: bool) -> float | None:
    """When ``way``, counted from now, will be later than was predicted as its work began."""
    fresh = tuple(replace(work, spent_ms=0.0) for work in way.candidate.works)
    spent = sum(work.spent_ms for work in way.candidate.works)
    at = hedge_at_ms(predictor.forecast(fresh), free_cores=int(room), remote=False)
    return None if at is None else at - spent


def _abort(lead: Path | None, start: Sequence[Path], moment: Moment) -> tuple[Path, ...]:
    """Those that hold cores which the chosen way needs now."""
    needy = next((way for way in moment.ways if way.path == lead), None)
    if needy is None or needy.room or needy.ready:
        return ()
    if needy.path not in start and not (needy.started and needy.busy):
        return ()
    return tuple(
        way.path
        for way in moment.ways
        if way.busy and way.path != lead and way.candidate.quality >= needy.candidate.quality
    )


def _again(
    lead: Path | None, moment: Moment, decision: Decision, predictor: Predictor, config: BudgetConfig
) -> float | None:
    """The next moment at which time alone may change the decision."""
    at: list[float] = []
    if moment.over:
        spare = predictor.forecast([Work(Stage.OUTPUT)]).quantile(config.confidence) + ROOM_MS
        give_up = max(0.0, moment.turn_end_ms - config.budget_ms) + config.give_up_ms
        at = [decision.not_before_ms, config.budget_ms - spare, config.budget_ms, config.give_up_ms, give_up]
    leading = next((way for way in moment.ways if way.path == lead), None)
    if leading is not None and leading.started and not leading.ready:
        hedge = _hedge_in_ms(
            leading, predictor, room=any(way.room and not way.started for way in moment.ways)
        )
        at += [] if hedge is None else [moment.waited_ms + hedge]
    if leading is not None and not any(way.ready for way in moment.ways) and len(moment.ways) > 1:
        # The longer it takes, the less likely it is in time: another way may have to be begun in its place.
        at.append(moment.waited_ms + RECHECK_MS)
    later = [one - moment.waited_ms for one in at if one - moment.waited_ms > SOON_MS]
    return min(later, default=None)
