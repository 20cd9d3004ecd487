"""How often a growing stretch is read."""

from __future__ import annotations

from agent.pace import Pace


def test_a_quick_reader_reads_at_its_pace() -> None:
    pace = Pace(500.0, 0.25).started(1000.0).took(100.0)
    assert pace.wait_ms == 500.0
    assert not pace.due(1499.0)
    assert pace.due(1500.0)


def test_a_slow_reader_takes_no_more_than_its_share() -> None:
    pace = Pace(500.0, 0.25).started(0.0).took(200.0)
    assert pace.wait_ms == 800.0
    assert not pace.due(799.0)
    assert pace.due(800.0)
