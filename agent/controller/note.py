"""From a decision to the line that is kept of it."""

from __future__ import annotations

from agent.recorder import DecisionNote
from latency_budget.predictor import Predictor
from latency_budget.steer import Moment, Orders


def note_of(event: str, moment: Moment, orders: Orders, predictor: Predictor) -> DecisionNote:
    """What was known and decided, in figures that people can read."""
    not_before = orders.decision.not_before_ms
    candidates = [way.candidate for way in moment.ways]
    forecasts = {one.path: predictor.forecast(one.works, moment.waited_ms, not_before) for one in candidates}
    option = orders.decision.choice.option
    why = orders.decision.choice.why
    if orders.bridge is not None:
        why += f"; said first: {orders.bridge}"
    return DecisionNote(
        event=event,
        waited_ms=round(moment.waited_ms, 1),
        chosen=orders.lead if option is None else option.name,
        why=why,
        predicted_ms={path: round(one.quantile(0.5), 1) for path, one in forecasts.items()},
        predicted_p95_ms={path: round(one.quantile(0.95), 1) for path, one in forecasts.items()},
        quality={one.path: round(one.quality, 3) for one in candidates},
        price={one.path: round(one.price, 3) for one in candidates},
        started=orders.start,
        aborted=orders.abort,
    )
