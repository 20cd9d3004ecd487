"""The benchmark of the controller."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from agent.bench.controller import decision_ms, load_step, sweep
from agent.bench.controller_traces import live_coverage, read_reports, trace_of, traces
from agent.cli.bench_controller import bench_controller
from agent.controller.quality import Quality
from agent.errors import AgentError
from agent.report.schema import Report
from latency_budget.config import BudgetConfig, PathQuality
from latency_budget.profile import Stage
from latency_budget.synthetic import turns

QUALITY = Quality(PathQuality())
GOLDEN = Path(__file__).parents[1] / "report" / "golden" / "report.json"


def test_a_trace_has_the_times_of_the_report() -> None:
    (report,) = read_reports([GOLDEN])
    turn = next(one for one in report.turns if trace_of(one, QUALITY) is not None)
    trace = trace_of(turn, QUALITY)
    assert trace is not None
    marks = {str(mark): at for mark, at in turn.marks.items()}
    fast, accurate = trace.paths
    assert fast.works[0].stage is Stage.MODEL
    assert fast.took_ms[0] == marks["reply_first_segment"] - marks["reply_started"]
    # What was ready before the turn was committed waited for it: the trace gives the onset of the report.
    assert trace.heard_ms(fast, BudgetConfig(min_gap_ms=0.0)) == pytest.approx(turn.onset_ms, abs=1.0)
    assert accurate.left_ms > fast.left_ms


def test_turns_without_an_answer_have_no_trace() -> None:
    (report,) = read_reports([GOLDEN])
    assert all(trace_of(one, QUALITY) is None for one in report.turns if one.onset_ms is None)
    assert len(traces([report], QUALITY)) <= len(report.turns)


def test_live_forecasts_are_counted_where_there_are_some() -> None:
    (report,) = read_reports([GOLDEN])
    assert live_coverage([report]) == (0, 0)
    answered = next(turn for turn in report.turns if turn.onset_ms is not None and turn.decision is not None)
    assert answered.decision is not None
    limit = {answered.decision.chosen: float(answered.onset_ms or 0)}
    told = answered.model_copy(
        update={"decision": answered.decision.model_copy(update={"predicted_p95_ms": limit})}
    )
    assert live_coverage(
        [Report.model_validate_json(report.model_copy(update={"turns": [told]}).to_json())]
    ) == (1, 1)


def test_what_is_no_report_is_told(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(AgentError, match="is no report"):
        read_reports([tmp_path / "x.json"])


def test_the_sweep_has_every_strategy_at_every_budget() -> None:
    rows = sweep(list(turns(100, 5)), BudgetConfig())
    assert len(rows) == 15
    ours = [row.score.quality for row in rows if row.strategy == "controller"]
    assert ours[0] < ours[3] < ours[4]
    assert all((row.score.met.value or 0.0) <= row.reachable for row in rows)


def test_a_load_step_is_followed() -> None:
    step = load_step(2.0, 20, BudgetConfig(), seed=1)
    assert step.turns_after[0] < 0.2
    assert step.later > 0.9
    assert step.back_after is not None
    assert step.back_after <= 10
    assert step.followed == pytest.approx(2.0, rel=0.1)


def test_a_decision_is_timed_with_the_clock_given() -> None:
    ticks = iter(range(1000))
    assert decision_ms(list(turns(10, 1)), BudgetConfig(), lambda: next(ticks) * 1.0) == (1000.0, 1000.0)


def test_the_command_prints_its_json_alone_on_the_last_line() -> None:
    app = typer.Typer()
    app.command()(bench_controller)
    result = CliRunner().invoke(app, [str(GOLDEN), "--turns", "100", "--calls", "10", "--json", "-"])
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout.splitlines()[-1])
    assert {"made", "load_steps", "decision_ms", "recorded"} == set(document)
