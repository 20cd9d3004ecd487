"""A peer's log is scored by the report's own definitions, in exact numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agent.bench.peer_log import EVENTS, PlayLog
from agent.bench.peer_score import played, read_played
from agent.errors import AgentError
from agent.report.rows import turn_rows, unmatched_rows
from latency_budget.config import BudgetConfig
from latency_budget.exchange import CallerTurn
from latency_budget.outcome import match

RATE = 16_000
LOUD, QUIET = 8000, 0


def block(level: int, ms: int) -> np.ndarray[Any, np.dtype[np.int16]]:
    return np.full(RATE * ms // 1000, level, np.int16)


def log_of(folder: Path) -> PlayLog:
    log = PlayLog(folder, RATE)
    log.origin(5000.0)
    return log


def rows(folder: Path, turns: list[CallerTurn]) -> tuple[list[Any], list[Any]]:
    found = match(turns, read_played(folder, 0.0).exchanges)
    return turn_rows("c", found, {}, BudgetConfig()), unmatched_rows("c", found, {})


def test_a_reply_is_timed_from_the_label_to_the_first_audible_sample(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    log.turn_end(6500.0, "hello")
    log.piece(6700.0, "We are open.")
    log.audio(6700.0, block(QUIET, 40).tobytes())
    log.audio(6740.0, block(LOUD, 40).tobytes())
    log.close()
    (turn,), _ = rows(tmp_path, [CallerTurn(0, 100.0, 1000.0)])
    assert (turn.v2v_ms, turn.onset_ms, turn.endpoint_delay_ms) == (740, 740, 500)
    assert (turn.heard, turn.said, turn.cut_in, turn.missed) == ("hello", "We are open.", False, False)


def test_an_opener_is_no_answer(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    log.turn_end(6100.0, "when are you open")
    log.piece(6300.0, "Sure.")
    log.audio(6300.0, block(LOUD, 100).tobytes())
    log.piece(6600.0, "From ten to two.")
    log.audio(6600.0, block(LOUD, 100).tobytes())
    log.close()
    (turn,), _ = rows(tmp_path, [CallerTurn(0, 0.0, 1000.0)])
    assert (turn.onset_ms, turn.v2v_ms) == (300, 600)


def test_audio_inside_the_callers_turn_is_a_cut_in(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    log.turn_end(5400.0, "I")
    log.piece(5500.0, "How can I help?")
    log.audio(5500.0, block(LOUD, 200).tobytes())
    log.cut(5700.0)
    log.close()
    (turn,), _ = rows(tmp_path, [CallerTurn(0, 0.0, 1000.0)])
    assert (turn.cut_in, turn.damaging, turn.v2v_ms, turn.missed) == (True, True, None, True)
    assert turn.cut_ins[0].overlap_ms == 200


def test_a_commit_of_which_nothing_is_heard_leaves_the_turn_missed(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    log.turn_end(6100.0, "hello")
    log.close()
    (turn,), unmatched = rows(tmp_path, [CallerTurn(0, 0.0, 1000.0)])
    assert (turn.missed, turn.v2v_ms, turn.heard, unmatched) == (True, None, "hello", [])


def test_the_loudspeakers_delay_counts() -> None:
    events = [
        {"at_ms": 0.0, "what": "rate", "hz": RATE},
        {"at_ms": 100.0, "what": "origin"},
        {"at_ms": 600.0, "what": "turn_end", "heard": "yes"},
        {"at_ms": 700.0, "what": "piece", "text": "Good."},
        {"at_ms": 700.0, "what": "audio", "samples": RATE // 10},
        {"at_ms": 800.0, "what": "setting", "name": "ttfs", "value": 0.7},
    ]
    found = played(events, block(LOUD, 100), 20.0)
    assert found.exchanges[0].audible == ((620.0, 720.0),)
    assert found.settings == {"ttfs": 0.7}
    assert [(at, len(samples)) for at, samples in found.blocks] == [(620.0, 1600)]


def test_a_log_that_breaks_off_is_refused(tmp_path: Path) -> None:
    log_of(tmp_path).turn_end(6000.0, "hello")
    with pytest.raises(AgentError, match="ends in the middle"):
        read_played(tmp_path, 0.0)


def test_a_missing_log_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match="holds no log"):
        read_played(tmp_path, 0.0)


def test_each_event_is_on_disk_at_once(tmp_path: Path) -> None:
    log_of(tmp_path)
    lines = (tmp_path / EVENTS).read_text().splitlines()
    assert [json.loads(line)["what"] for line in lines] == ["rate", "origin"]
