"""The controller over traces: against always the same path, under load, with exact figures."""

from __future__ import annotations

import math
from collections import defaultdict

import pytest

from latency_budget.config import BudgetConfig
from latency_budget.predictor import Predictor, Work
from latency_budget.profile import Stage
from latency_budget.simulate import PathTrace, Played, TurnTrace, always, play, score
from latency_budget.synthetic import World, turns

FAST = PathTrace("fast", (Work(Stage.OUTPUT),), (30.0,), 0.6)
ACCURATE = PathTrace("accurate", (Work(Stage.MODEL, (0.0, 40.0)), Work(Stage.OUTPUT)), (1700.0, 30.0), 0.9)


def test_a_turn_is_heard_when_it_is_over_and_the_reply_is_ready() -> None:
    trace, config = TurnTrace(120.0, 300.0, (FAST, ACCURATE)), BudgetConfig()
    assert trace.heard_ms(FAST, config) == 300.0
    assert trace.heard_ms(ACCURATE, config) == 1850.0
    assert trace.best(config) is FAST
    assert trace.best(BudgetConfig(budget_ms=2000.0)) is ACCURATE
    assert trace.best(BudgetConfig(budget_ms=200.0)) is None


def test_the_score_of_a_few_turns_exactly() -> None:
    rows = [
        Played("fast", 300.0, 0.6, True, 0.6, True, 1.0),
        Played("fast", 300.0, 0.6, True, 0.9, True, 1.0),
        Played("accurate", 800.0, 0.9, False, 0.6, False, 1.0),
        Played(None, math.inf, 0.0, False, None, None, 1.0),
    ]
    found = score(rows)
    assert found.quality == pytest.approx(0.525)
    assert (found.met.hits, found.coverage.hits, found.coverage.count) == (2, 2, 3)
    assert found.regret == pytest.approx(0.3 / 2.1)
    assert found.strict_regret == pytest.approx((0.3 + 0.6) / 2.1)
    assert found.paths == {"fast": 2, "accurate": 1, "safe": 1}


def test_the_same_seed_gives_the_same_turns() -> None:
    assert list(turns(5, 3)) == list(turns(5, 3)) != list(turns(5, 4))


def test_it_beats_always_fast_on_quality_and_always_accurate_on_the_budget() -> None:
    config = BudgetConfig(budget_ms=800.0)
    ours, fast, accurate = (
        score(play(turns(2000, 1), config, Predictor(), *strategy)[0])
        for strategy in ((), (always("fast"),), (always("accurate"),))
    )
    assert ours.quality_low > fast.quality_high
    assert ours.met.low is not None
    assert accurate.met.high is not None
    assert ours.met.low > accurate.met.high
    assert ours.regret <= 0.05


def test_quality_rises_with_the_budget() -> None:
    scores = [
        score(play(turns(2000, 1), BudgetConfig(budget_ms=ms), Predictor())[0]) for ms in (250, 500, 1200)
    ]
    assert scores[0].quality < scores[1].quality < scores[2].quality


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_in_steady_load_the_p95_covers_93_to_97_percent(seed: int) -> None:
    rows, _ = play(turns(2000, seed), BudgetConfig(), Predictor())
    covered = score(rows).coverage.value
    assert covered is not None
    assert 0.93 <= covered <= 0.97


@pytest.mark.parametrize("step", [0.6, 1.6, 2.0])
def test_after_a_load_step_the_p95_covers_again_within_ten_turns(step: float) -> None:
    _, warm = play(turns(200, 999), BudgetConfig(), Predictor())
    covered: dict[int, list[bool]] = defaultdict(list)
    followed: list[float] = []
    for seed in range(60):
        world = World(step_at=20, step=step)
        rows, _ = play(turns(50, seed, world), BudgetConfig(budget_ms=800.0), warm)
        for at, row in enumerate(rows):
            if row.covered is not None:
                covered[at - 20].append(row.covered)
        followed.append(rows[30].slow_down)
    assert sum(followed) / len(followed) == pytest.approx(step, rel=0.05)
    after = [hit for at in range(10, 30) for hit in covered[at]]
    assert 0.93 <= sum(after) / len(after) <= 0.98


def test_a_path_that_is_never_in_time_ends_in_the_safe_sentence() -> None:
    slow = TurnTrace(2500.0, 300.0, (FAST,))
    rows, _ = play([slow], BudgetConfig(), Predictor(), safe_quality=0.1)
    assert (rows[0].path, rows[0].quality, rows[0].covered) == (None, 0.1, None)


def test_a_turn_whose_end_was_seen_late_is_answered_all_the_same() -> None:
    rows, _ = play([TurnTrace(2500.0, 2500.0, (FAST,))], BudgetConfig(), Predictor())
    assert (rows[0].path, rows[0].met) == ("fast", False)
