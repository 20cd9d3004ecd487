"""Gates: what they take, what they say, and what a CI system is told."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_call import context, report

from agent.errors import AgentError
from agent.report.build import CallFacts, Rows, build_report
from agent.report.facts import Failure
from agent.report.gate import KEYS, check_gate, judge, parse_gate
from agent.report.junit import junit_xml
from agent.report.schema import Report


def empty() -> Report:
    return build_report(Rows(()), context(calls=(CallFacts("hum", 3600, "offline_vad", False, 0),)))


def test_every_condition_is_held_against_its_figure() -> None:
    verdicts = judge(
        report(), parse_gate("v2v_p95<=500, damaging <= 0.02,missed<0.2,within_500>=0.5,stalls<=1")
    )
    assert [(verdict.line, verdict.kept) for verdict in verdicts] == [
        ("v2v_p95<=500: 675 ms", False),
        ("damaging<=0.02: 0", True),
        ("missed<0.2: 0.2", False),
        ("within_500>=0.5: 0.6667", True),
        ("stalls<=1: 1", True),
    ]


def test_a_failed_gate_names_each_line_and_ends_with_1() -> None:
    with pytest.raises(AgentError) as caught:
        check_gate(judge(report(), parse_gate("v2v_p95<=500,damaging<=0.02,missed<0.2")))
    assert caught.value.exit_code == 1
    assert caught.value.message == "the gate failed: v2v_p95<=500: 675 ms; missed<0.2: 0.2."
    check_gate(judge(report(), parse_gate("v2v_p95<=675,cut_ins<=0.2")))


def test_what_was_never_counted_keeps_no_condition() -> None:
    (verdict,) = judge(empty(), parse_gate("v2v_p50<=500"))
    assert (verdict.kept, verdict.line) == (False, "v2v_p50<=500: nothing was counted")
    (verdict,) = judge(report(), parse_gate("wer<=1"))
    assert not verdict.kept


def test_every_key_reads_a_figure_of_the_report() -> None:
    found = {key: judge(report(), parse_gate(f"{key}>=0"))[0].found for key in KEYS}
    assert [key for key, value in found.items() if value is None] == ["wer"]


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("v2v_95<=500", "gate.key", "v2v_p95"),
        ("V2V_P95<=500", "gate.key", "v2v_p95"),
        ("damagin<=0.02", "gate.key", "damaging"),
        ("colour<=1", "gate.key", "Known: v2v_p50"),
        ("v2v_p95=500", "gate.syntax", "v2v_p95=500"),
        ("v2v_p95==500", "gate.syntax", "no condition"),
        ("v2v_p95", "gate.syntax", "no condition"),
        ("", "gate.syntax", "empty"),
        ("missed<=0.1,", "gate.syntax", "empty"),
        ("v2v_p95<=fast", "gate.number", "fast"),
        ("v2v_p95<=nan", "gate.number", "nan"),
        ("v2v_p95<=500ms", "gate.number", "500ms"),
        ("missed<=2", "gate.share", "2 % is 0.02"),
        ("missed<=2%", "gate.number", "2%"),
        ("missed<=-1", "gate.share", "0 to 1"),
    ],
)
def test_a_gate_that_is_none_is_answered_with_the_way_out(text: str, code: str, words: str) -> None:
    with pytest.raises(AgentError) as caught:
        parse_gate(text)
    assert (caught.value.code, caught.value.exit_code) == (code, 2)
    assert words in str(caught.value)


SHARES = st.integers(0, 1000).map(lambda thousandths: thousandths / 1000)


@given(
    st.lists(
        st.tuples(st.sampled_from(sorted(KEYS)), st.sampled_from(("<=", ">=", "<", ">")), SHARES), min_size=1
    )
)
def test_a_gate_reads_back_as_it_was_written(parts: list[tuple[str, str, float]]) -> None:
    conditions = parse_gate(" , ".join(f"{key} {sign} {limit}" for key, sign, limit in parts))
    assert [(one.key, one.sign, one.limit) for one in conditions] == parts
    assert parse_gate(",".join(str(one) for one in conditions)) == conditions


@given(st.text(max_size=30).filter(lambda text: not any(sign in text for sign in "<>")))
def test_text_without_a_comparison_is_an_error_for_people(text: str) -> None:
    with pytest.raises(AgentError, match="--gate"):
        parse_gate(text)


def test_ci_systems_get_a_case_a_condition_and_one_a_fault() -> None:
    found = build_report(
        Rows(report().turns, report().unmatched),
        context(failures=(Failure(call="demo", turn=1, code="asr.failed", message='No "text" <here>.'),)),
    )
    text = junit_xml(found, judge(found, parse_gate("v2v_p95<=500,missed<=0.5")))
    suite = ElementTree.fromstring(text).find("testsuite")
    assert suite is not None
    assert {key: suite.get(key) for key in ("tests", "failures", "errors")} == {
        "tests": "3",
        "failures": "1",
        "errors": "1",
    }
    cases = suite.findall("testcase")
    assert [case.get("name") for case in cases] == ["v2v_p95<=500", "missed<=0.5", "demo turn 1 #0"]
    assert cases[0][0].get("message") == "v2v_p95<=500: 675 ms"
    assert cases[2][0].get("message") == 'No "text" <here>.'
    assert text == junit_xml(found, judge(found, parse_gate("v2v_p95<=500,missed<=0.5")))
