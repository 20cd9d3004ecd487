import dataclasses

import pytest
from scripted_call import BUDGET, DETAILS, EXCHANGES, TURNS, context, exchange, report, rows

from agent.report.build import CallFacts, Rows, build_report
from agent.report.facts import Failure
from agent.report.rows import turn_row, turn_rows, unmatched_rows
from agent.report.turns import ReplyDetails, Speculation, Tokens, Turn
from latency_budget.config import BudgetConfig
from latency_budget.exchange import CallerTurn
from latency_budget.marks import Mark
from latency_budget.outcome import match


def one_row(turns: tuple[CallerTurn, ...], *found: object, budget: BudgetConfig = BUDGET) -> Turn:
    return turn_row("demo", match(turns, found).outcomes[0], DETAILS, budget)  # type: ignore[arg-type]


def test_every_labelled_turn_is_a_row() -> None:
    assert [(turn.call, turn.turn) for turn in report().turns] == [("demo", number) for number in range(5)]


def test_rows_are_in_whole_ms_and_their_parts_sum_up() -> None:
    caller = (CallerTurn(0, 1000.2, 2000.4),)
    row = one_row(caller, exchange(0, 2160.7, ((2400.6, 3000),), "Hi.", "Hello."))
    assert row.parts_ms is not None
    assert row.v2v_ms == 400
    assert sum(row.parts_ms.model_dump().values()) == 400
    assert row.marks[Mark.SPEECH_END] == 2000.4


def test_v2v_can_be_computed_again_from_the_marks() -> None:
    for turn in report().turns:
        if turn.v2v_ms is not None:
            assert turn.marks[Mark.FIRST_CONTENT] - turn.marks[Mark.SPEECH_END] == turn.v2v_ms


@pytest.mark.parametrize(
    ("next_start", "met"), [(2400.0, None), (2500.0, None), (2501.0, False), (9000.0, False)]
)
def test_an_overtaken_turn_is_judged_once_its_budget_ran_out(next_start: float, met: bool | None) -> None:
    row = one_row((CallerTurn(0, 1000, 2000), CallerTurn(1, next_start, 9500)))
    assert (row.overtaken, row.budget_met) == (True, met)


def test_a_cut_in_alone_meets_no_budget() -> None:
    row = one_row((CallerTurn(0, 1000, 2000),), exchange(0, 1500, ((1900, 2600),), "Hi.", "Hello."))
    assert (row.cut_in, row.missed, row.v2v_ms, row.budget_met) == (True, False, None, False)
    assert [(cut.at_ms, cut.overlap_ms) for cut in row.cut_ins] == [(1900, 100)]


def test_what_a_cut_in_wasted_is_not_lost() -> None:
    row = report().turns[1]
    assert (row.exchange, row.speculation.waste_tokens, row.speculation.waste_audio_s) == (2, 7, 0.5)


def test_percentiles_leave_out_what_has_no_v2v_and_count_the_rest() -> None:
    summary = report().summary
    assert (summary.turns, summary.answered, summary.v2v_ms.count, summary.overtaken) == (5, 3, 3, 1)
    assert (summary.v2v_ms.p50, summary.v2v_ms.p90, summary.v2v_ms.p95, summary.v2v_ms.p99) == (
        450,
        650,
        675,
        695,
    )


def test_shares_count_every_turn() -> None:
    summary = report().summary
    assert (summary.cut_ins, summary.damaging_cut_ins, summary.missed) == (0.2, 0.0, 0.2)
    assert (summary.budget_met, summary.share_v2v_within["500"]) == (0.5, 0.6667)


def test_stalls_underruns_and_lateness() -> None:
    summary = report().summary
    assert (summary.stalls, summary.longest_stall_ms, summary.underruns, summary.unmatched) == (1, 400, 3, 1)
    assert (summary.lateness_ms.count, summary.lateness_ms.p50, summary.lateness_ms.p99) == (4, 0.25, 1.46)


def test_speculation_is_summed_from_the_rows() -> None:
    details = {
        0: ReplyDetails(speculation=Speculation(hit=True, spoken_audio_s=2.0, fitting_audio_s=1.5)),
        2: ReplyDetails(speculation=Speculation(waste_tokens=9, waste_audio_s=0.25)),
        5: ReplyDetails(speculation=Speculation(waste_tokens=1)),
    }
    matching = match(TURNS, EXCHANGES)
    found = Rows(turn_rows("demo", matching, details, BUDGET), unmatched_rows("demo", matching, details))
    speculation = build_report(found, context()).summary.speculation
    assert speculation.hits == 0.3333
    assert (speculation.precision, speculation.waste_tokens, speculation.waste_audio_s) == (0.75, 10, 0.25)


def test_what_was_made_ahead_stands_over_what_was_spoken() -> None:
    details = {
        0: ReplyDetails(
            tokens=Tokens(generated=20, speculated=12), speculation=Speculation(hit=True, spoken_audio_s=1.0)
        ),
        2: ReplyDetails(
            tokens=Tokens(generated=4, speculated=24), speculation=Speculation(waste_audio_s=0.5)
        ),
    }
    matching = match(TURNS, EXCHANGES)
    found = Rows(turn_rows("demo", matching, details, BUDGET), unmatched_rows("demo", matching, details))
    heard_s = (
        sum(end - start for row in (*found.turns, *found.unmatched) for start, end in row.audible_ms) / 1000
    )
    speculation = build_report(found, context()).summary.speculation
    assert speculation.tokens_per_spoken == 1.5
    assert speculation.audio_per_spoken == round(1.5 / heard_s, 4)
    silent = Rows((), ())
    nothing = build_report(silent, context()).summary.speculation
    assert (nothing.tokens_per_spoken, nothing.audio_per_spoken) == (None, None)


def test_paths_count_replies_that_were_heard() -> None:
    assert [turn.path for turn in report().turns] == ["fast", "fast", None, "fast", None]
    assert report().summary.paths == {"cached": 0, "speculated": 0, "fast": 3, "accurate": 0}


def test_an_impossible_order_is_a_failure_and_a_row_without_latency() -> None:
    broken = dataclasses.replace(EXCHANGES[0], marks={Mark.TURN_END: 2160, Mark.TTS_FIRST_CHUNK: 2500})
    matching = match(TURNS, (broken,))
    found = build_report(Rows(turn_rows("demo", matching, {}, BUDGET)), context())
    assert (found.turns[0].v2v_ms, found.turns[0].parts_ms, found.turns[0].marks[Mark.TTS_FIRST_CHUNK]) == (
        None,
        None,
        2500,
    )
    assert [(one.turn, one.code) for one in found.failures] == [(0, "marks.order")]
    assert (
        found.failures[0].message == "turn 0: first_audio (2400.0 ms) lies before tts_first_chunk (2500.0 ms)"
    )
    assert found.summary.failures == 1


def test_a_mark_that_is_no_number_leaves_valid_json() -> None:
    broken = dataclasses.replace(EXCHANGES[0], marks={Mark.TURN_END: 2160, Mark.ASR_FINAL: float("nan")})
    row = one_row(TURNS, broken)
    assert Mark.ASR_FINAL not in row.marks
    assert row.fault == "turn 0: asr_final is nan, which is no time"
    assert Turn.model_validate_json(row.model_dump_json()) == row


def test_missing_rows_are_told() -> None:
    every = rows()
    found = build_report(
        Rows(every.turns[:3]), context(failures=(Failure(call="demo", turn=3, code="x", message="y"),))
    )
    assert [(one.code, one.message) for one in found.failures] == [
        ("x", "y"),
        ("report.turns_missing", "5 labelled turns, 3 reported"),
    ]


def test_a_run_without_turns_has_a_report_without_figures() -> None:
    found = build_report(Rows(()), context(calls=(CallFacts("hum", 3600, "offline_vad", False, 0),)))
    summary = found.summary
    assert (summary.turns, summary.v2v_ms.count, summary.v2v_ms.p50, summary.missed) == (0, 0, None, None)
    assert (summary.share_v2v_within["200"], summary.lateness_ms.p99, summary.speculation.hits) == (
        None,
        None,
        None,
    )
    assert found.failures == []


def test_rows_of_an_unknown_call_and_double_rows_are_refused() -> None:
    every = rows()
    with pytest.raises(ValueError, match="unknown calls: demo"):
        build_report(every, context(calls=()))
    with pytest.raises(ValueError, match="two rows"):
        build_report(Rows([*every.turns, every.turns[0]]), context())
