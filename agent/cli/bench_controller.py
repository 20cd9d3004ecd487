"""``bench controller``: the controller played over made turns, and over the turns of reports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from agent.bench.controller import Row, Step

STEP_FACTORS = (1.5, 2.0, 3.0)


def bench_controller(
    reports: Annotated[
        list[Path] | None,
        typer.Argument(help="report.json files of replays, to play their turns again.", show_default=False),
    ] = None,
    turns: Annotated[
        int, typer.Option("--turns", min=100, max=100_000, help="Made turns for the sweep.")
    ] = 2000,
    calls: Annotated[
        int, typer.Option("--calls", min=10, max=10_000, help="Made calls for a load step.")
    ] = 100,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the made turns.")] = 1,
    config: Annotated[
        Path | None,
        typer.Option("--config", "-c", help="Configuration.", show_default="configs/default.yaml"),
    ] = None,
    json_to: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Write JSON; `-` prints it as one line.")
    ] = None,
) -> None:
    """Play the controller over turns in which every path's time is known, at five budgets and under load."""
    from agent.bench.controller import decision_ms, load_step, sweep
    from agent.bench.controller_traces import live_coverage, read_reports, traces
    from agent.config.load import load
    from agent.controller.quality import Quality, load_quality
    from latency_budget import synthetic

    settings = load(config).config
    budget = settings.budget
    made = list(synthetic.turns(turns, seed))
    rows, steps = sweep(made, budget), [load_step(factor, calls, budget, seed) for factor in STEP_FACTORS]
    median, p99 = decision_ms(made, budget)
    lines = [f"made turns (n {turns}, seed {seed})", *map(_row, rows)]
    lines += ["", f"load step (calls {calls})", *map(_step, steps), ""]
    lines.append(f"one decision: median {median:.2f} ms, p99 {p99:.2f} ms (n {turns})")
    document: dict[str, Any] = {
        "made": {"turns": turns, "seed": seed, "sweep": [_row_data(row) for row in rows]},
        "load_steps": [_step_data(step) for step in steps],
        "decision_ms": {"p50": median, "p99": p99, "count": turns},
    }
    if reports:
        read = read_reports(reports)
        found, (hits, count) = (
            traces(read, Quality(budget.quality, load_quality(), settings.seats["fast"].model)),
            live_coverage(read),
        )
        again = sweep(found, budget) if found else []
        lines += [
            "",
            f"recorded turns (n {len(found)}; accurate is modelled from the fast path)",
            *map(_row, again),
        ]
        lines.append(f"live: {hits} of {count} turns kept the p95 that was predicted for them")
        live = {"hits": hits, "count": count}
        document["recorded"] = {
            "turns": len(found),
            "sweep": [_row_data(row) for row in again],
            "live_p95": live,
        }
    typer.echo("\n".join(lines), err=json_to == "-")
    text = json.dumps(document)
    if json_to == "-":
        typer.echo(text)
    elif json_to is not None:
        Path(json_to).write_text(text + "\n", encoding="utf-8")


def _row(row: Row) -> str:
    one = row.score
    paths = ", ".join(f"{name} {count}" for name, count in sorted(one.paths.items()))
    return (
        f"{row.budget_ms:6.0f} ms  {row.strategy:15}  in time {_percent(one.met.value)} "
        f"(reachable {_percent(row.reachable)})  quality {one.quality:.3f} "
        f"({one.quality_low:.3f} to {one.quality_high:.3f})  regret {_percent(one.regret)}  "
        f"p95 covers {_percent(one.coverage.value)}  [{paths}]"
    )


def _step(step: Step) -> str:
    after = " ".join(f"{value:.2f}" for value in step.turns_after)
    back = "never" if step.back_after is None else f"after {step.back_after} turns"
    return (
        f"  x{step.factor:.1f}  p95 covers {_percent(step.before)} before; turn by turn {after}; "
        f"from the 11th {_percent(step.later)}; back {back}; slow-down after 10 turns {step.followed:.2f}"
    )


def _percent(value: float | None) -> str:
    return "none" if value is None else f"{value:.1%}"


def _row_data(row: Row) -> dict[str, Any]:
    one = row.score
    return {
        "budget_ms": row.budget_ms,
        "strategy": row.strategy,
        "in_time": {"value": one.met.value, "low": one.met.low, "high": one.met.high},
        "reachable": row.reachable,
        "quality": {"value": one.quality, "low": one.quality_low, "high": one.quality_high},
        "regret": one.regret,
        "strict_regret": one.strict_regret,
        "p95_coverage": one.coverage.value,
        "paths": one.paths,
    }


def _step_data(step: Step) -> dict[str, Any]:
    return {
        "factor": step.factor,
        "calls": step.calls,
        "before": step.before,
        "turns_after": list(step.turns_after),
        "from_11th": step.later,
        "slow_down_after_10": step.followed,
        "back_after": step.back_after,
    }
