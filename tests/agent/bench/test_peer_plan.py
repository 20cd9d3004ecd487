"""Which runs a comparison has, in which order, and what its table says of them."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from agent.bench.peer_log import Job, read_job
from agent.bench.peer_process import run_to_end, surroundings
from agent.bench.peer_run import Done
from agent.bench.peer_steps import Step, Subject, steps, subjects
from agent.bench.peer_systems import SYSTEMS, chosen
from agent.bench.peer_table import against, best_stock, document, rows
from agent.config.load import load
from agent.errors import AgentError
from agent.report.build import CallFacts, Rows, RunContext, build_report
from agent.report.facts import ConfigFacts, ReplayFacts
from agent.report.machine import machine_facts
from agent.report.rows import turn_rows
from latency_budget.config import BudgetConfig
from latency_budget.exchange import CallerTurn, Exchange
from latency_budget.marks import Mark
from latency_budget.outcome import match
from stages.audio.write import write_wav

OURS, STOCK, QUICK = (
    next(s for s in SYSTEMS if s.name == name) for name in ("ours", "pipecat", "pipecat-quick")
)


def done(system: str, waits: list[float], cut_in: bool = False) -> Done:
    """A run of turns that end at 1, 11, 21 s ... and are answered after ``waits``."""
    turns = [CallerTurn(i, 10_000.0 * i, 10_000.0 * i + 1000.0) for i in range(len(waits))]
    said = [
        Exchange(
            id=i,
            marks={Mark.TURN_END: turn.end_ms + 10.0, Mark.FIRST_CONTENT: turn.end_ms + wait},
            audible=((turn.end_ms + wait, turn.end_ms + wait + 500.0),),
            path="fast",
        )
        for i, (turn, wait) in enumerate(zip(turns, waits, strict=True))
    ]
    if cut_in:
        said.append(Exchange(id=99, marks={Mark.TURN_END: 300.0}, audible=((500.0, 900.0),)))
    found = turn_rows("c", match(turns, said), {}, BudgetConfig())
    context = RunContext(
        started_at=datetime(2026, 1, 1, tzinfo=UTC),
        machine=machine_facts(),
        config=ConfigFacts(path=system, sha256="0", budget_ms=500),
        replay=ReplayFacts(mode="recorded", max_gap_s=4.0),
        calls=[CallFacts("c", 60.0, "labels", synthetic=True, labelled_turns=len(turns))],
    )
    report = build_report(Rows(found), context)
    return Done(fingerprint="f", system=system, call="c", round=1, found={}, report=report)


def test_agents_take_turns_and_none_is_always_first() -> None:
    calls = [cast(Subject, name) for name in ("a", "b")]
    found = [(one.round, one.subject, one.system.name) for one in steps([OURS, STOCK, QUICK], calls, 2)]
    assert found == [
        (1, "a", "ours"), (1, "a", "pipecat"), (1, "a", "pipecat-quick"),
        (1, "b", "pipecat"), (1, "b", "pipecat-quick"), (1, "b", "ours"),
        (2, "a", "pipecat-quick"), (2, "a", "ours"), (2, "a", "pipecat"),
        (2, "b", "ours"), (2, "b", "pipecat"), (2, "b", "pipecat-quick"),
    ]  # fmt: skip


def test_the_table_pools_all_runs_of_an_agent() -> None:
    table = rows(
        SYSTEMS, [done("pipecat", [2000.0, 1600.0]), done("ours", [400.0]), done("ours", [500.0, 600.0])]
    )
    assert [(row.system.name, row.runs, row.summary.turns) for row in table] == [
        ("ours", 2, 3),
        ("pipecat", 1, 2),
    ]
    assert table[0].summary.v2v_ms.p50 == 500.0


def test_ours_is_set_against_every_other_agent() -> None:
    table = rows(
        SYSTEMS,
        [done("ours", [400.0] * 6), done("pipecat", [2000.0] * 6), done("pipecat-quick", [1600.0] * 6)],
    )
    found = against(table)
    assert [(one.system, one.ratio, one.low, one.high, one.quarter) for one in found] == [
        ("pipecat-quick", 0.25, 0.25, 0.25, True),
        ("pipecat", 0.2, 0.2, 0.2, True),
    ]
    best = best_stock(table, found)
    assert best is not None
    assert best.system == "pipecat-quick"


def test_a_quarter_does_not_count_with_more_cut_ins() -> None:
    table = rows(SYSTEMS, [done("ours", [400.0] * 6, cut_in=True), done("pipecat", [2000.0] * 6)])
    assert [(one.ratio, one.quarter) for one in against(table)] == [(0.2, False)]


def test_without_ours_nothing_is_claimed() -> None:
    table = rows(SYSTEMS, [done("pipecat", [2000.0])])
    assert against(table) == []
    assert document(table, {})["ours_against"] == []


def test_every_system_of_ours_is_a_valid_configuration() -> None:
    for system in SYSTEMS:
        load(None, system.overrides)
    assert len({system.name for system in SYSTEMS}) == len(SYSTEMS)


def test_an_unknown_system_is_answered_with_the_nearest() -> None:
    with pytest.raises(AgentError, match="Did you mean pipecat-tuned"):
        chosen(["pipecat-tune"])


def test_systems_come_in_the_order_of_the_table() -> None:
    assert [one.name for one in chosen(["livekit", "ours"])] == ["ours", "livekit"]


def test_two_calls_of_one_name_are_refused(tmp_path: Path) -> None:
    sound = np.random.default_rng(1).normal(0.0, 0.1, 32_000).astype(np.float32)
    turn = {"role": "caller", "start_s": 0.5, "end_s": 1.5, "text": "hello"}
    call = {"name": "one", "caller": {"file": "one.wav", "channel": 0}, "turns": [turn]}
    write_wav(tmp_path / "one.wav", sound, 16_000)
    for name in ("a", "b"):
        (tmp_path / f"{name}.call.json").write_text(json.dumps(call))
    with pytest.raises(AgentError, match="two calls are called 'one'"):
        subjects([tmp_path / "a.call.json", tmp_path / "b.call.json"], None, 4.0)


def test_a_job_survives_the_disk(tmp_path: Path) -> None:
    here = Path("/models")
    job = Job(
        here / "c",
        here,
        "You are Robin.",
        here / "w",
        here / "v.onnx",
        "http://x/v1",
        48,
        [(0.5, 1.5)],
        {"a": None},
    )
    job.save(tmp_path / "job.json")
    again: Any = read_job(tmp_path / "job.json")
    assert again.caller == here / "c"
    assert (again.prompt, again.options, [tuple(span) for span in again.spoken_s]) == (
        "You are Robin.",
        {"a": None},
        [(0.5, 1.5)],
    )


def test_a_peer_runs_without_our_thread_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert "OMP_NUM_THREADS" not in surroundings({})
    assert surroundings({"OMP_NUM_THREADS": "2"})["OMP_NUM_THREADS"] == "2"
    assert surroundings({})["HF_HUB_OFFLINE"] == "1"


def test_a_process_that_fails_is_told_with_its_last_line(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "print('first'); raise SystemExit('no such voice')"]
    with pytest.raises(AgentError, match="pipecat ended with 1: no such voice"):
        run_to_end(command, tmp_path / "run.log", surroundings({}), "pipecat")


def test_a_runs_folder_names_round_call_and_agent() -> None:
    class Named:
        class planned:  # noqa: N801
            name = "a/b"

    assert Step(OURS, cast(Subject, Named), 2).folder == "2-a_b-ours"
