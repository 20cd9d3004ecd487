"""The table for spreadsheets."""

from __future__ import annotations

import csv
import io

from scripted_call import report

from agent.report.csv_turns import COLUMNS, turns_csv


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_a_row_a_turn_with_the_figures_of_the_report() -> None:
    found = table(turns_csv(report()))
    assert list(found[0]) == list(COLUMNS)
    assert [row["turn"] for row in found] == ["0", "1", "2", "3", "4"]
    assert [row["v2v_ms"] for row in found] == ["400", "700", "", "450", ""]
    parts = ("endpoint_ms", "asr_ms", "decision_ms", "model_ms", "tts_ms", "output_ms")
    assert sum(int(found[1][part]) for part in parts) == 700
    assert (found[1]["cut_in"], found[1]["overlap_ms"], found[2]["budget_met"]) == ("1", "100", "")
    assert (found[0]["why"], found[0]["at_speech_end_ms"]) == ("the only seat", "2000.0")


def test_words_are_no_formulas_and_no_new_lines() -> None:
    said = (
        report().turns[0].model_copy(update={"heard": '=HYPERLINK("x")', "said": 'He said "no",\nthen left'})
    )
    (row,) = table(turns_csv(report().model_copy(update={"turns": [said]})))
    assert row["heard"] == '\'=HYPERLINK("x")'
    assert row["said"] == 'He said "no", then left'
