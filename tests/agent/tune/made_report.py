"""Reports with given latencies."""

from __future__ import annotations

from agent.report.build import CallFacts, Rows, build_report
from agent.report.rows import turn_rows
from agent.report.schema import Report
from latency_budget.config import BudgetConfig
from latency_budget.exchange import CallerTurn
from latency_budget.outcome import match
from tests.agent.report.scripted_call import context, exchange


def made(waits: dict[str, list[float]]) -> Report:
    """A report in which the turns of each call were answered after so many ms."""
    turns, facts = [], []
    for call, every in waits.items():
        callers = [CallerTurn(at, 10_000.0 * at + 1000, 10_000.0 * at + 2000) for at in range(len(every))]
        spoken = [
            exchange(
                at,
                caller.end_ms + wait - 200,
                ((caller.end_ms + wait, caller.end_ms + wait + 500),),
                "Yes.",
                "No.",
            )
            for at, (caller, wait) in enumerate(zip(callers, every, strict=True))
        ]
        turns += turn_rows(call, match(callers, spoken), {}, BudgetConfig())
        facts.append(CallFacts(call, 10.0 * len(every), "labels", False, len(every)))
    return build_report(Rows(turns), context(calls=tuple(facts)))
