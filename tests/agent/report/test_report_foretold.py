"""Onsets against forecasts, and the wait against a timer's, with exact numbers."""

from __future__ import annotations

from scripted_call import report

from agent.report.foretold import endpointing, pairs, prediction
from agent.report.html import render_report
from agent.report.html_foretold import curve, scatter
from agent.report.turns import Decision, Turn

TURN = report().turns[0]


def turn(number: int, foretold: float, late: float, onset: int, **more: object) -> Turn:
    decision = Decision(
        predicted_ms={"fast": foretold, "accurate": 1.0},
        predicted_p95_ms={"fast": late, "accurate": 2.0},
        chosen="fast",
        why="",
    )
    changes = {
        "turn": number,
        "decision": decision,
        "onset_ms": onset,
        "path": "fast",
        "holds_ms": [],
        **more,
    }
    return TURN.model_copy(update=changes)


def test_the_heard_path_is_held_against_its_own_forecast() -> None:
    found = prediction([turn(0, 300, 400, 350), turn(1, 300, 400, 280), turn(2, 500, 600, 610)])
    assert found is not None
    assert (found.turns, found.error_ms.p50, found.bias_ms) == (3, 50, 50)
    assert found.within_p95 == 0.6667
    assert found.within_p95_wilson_95 is not None
    assert found.within_p95_wilson_95[0] < found.within_p95 < found.within_p95_wilson_95[1]


def test_what_has_no_onset_of_its_own_is_not_judged() -> None:
    turns = [
        turn(0, 300, 400, 350, cut_in=True),
        turn(1, 300, 400, 350, overtaken=True),
        turn(2, 300, 400, 350, path="cached"),
        turn(3, 300, 400, 350, decision=None),
        turn(4, 300, 400, 350).model_copy(update={"onset_ms": None}),
    ]
    assert pairs(turns) == []
    assert prediction(turns) is None
    assert scatter(turns) is None


def test_a_timer_cuts_into_every_turn_with_a_pause_as_long() -> None:
    turns = [
        turn(0, 300, 400, 350, holds_ms=[(0, 250), (1000, 1900)], endpoint_delay_ms=400, v2v_ms=500),
        turn(1, 300, 400, 350, holds_ms=[(0, 500)], endpoint_delay_ms=600, v2v_ms=700, cut_in=True),
        turn(2, 300, 400, 350, endpoint_delay_ms=9000, v2v_ms=9100, overtaken=True),
        turn(3, 300, 400, 350, endpoint_delay_ms=None),
    ]
    found = endpointing(turns)
    assert found is not None
    shares = {one.silence_ms: one.cut_ins for one in found.timer}
    assert (shares[200], shares[500], shares[600], shares[900], shares[1000]) == (0.5, 0.5, 0.25, 0.25, 0.0)
    assert (found.mean_delay_ms, found.cut_ins, found.timer_as_careful_ms) == (500, 0.25, 600)
    assert endpointing([]) is None


def test_the_dots_lie_where_their_figures_say() -> None:
    found = scatter([turn(0, 250, 400, 500), turn(1, 1000, 1100, 1000)])
    assert found is not None
    low, high = found.dots
    assert (low.kind, high.kind) == ("late", "")
    assert low.x == found.x.at(250)
    assert low.y == found.y.at(500)
    assert found.equal == (high.x, high.y)
    drawn = curve(report().summary.endpointing)
    assert drawn is not None
    assert drawn.dots[0].x == drawn.x.at(report().summary.endpointing.mean_delay_ms)  # type: ignore[union-attr]


def test_the_page_shows_both() -> None:
    page = render_report(report())
    assert "Foretold and heard" in page
    assert "A timer needs" in page
