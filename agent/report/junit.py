"""A gate's verdicts as JUnit XML, which CI systems show. Pure but for writing the file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from agent.report.gate import Verdict
from agent.report.schema import Report
from agent.report.table import plain
from agent.report.write import write_whole


def junit_xml(report: Report, verdicts: Sequence[Verdict]) -> str:
    """One test case a condition, and one a failure that the run recorded."""
    faults = report.failures
    suite = ElementTree.Element(
        "testsuite",
        name="budgie.replay",
        tests=str(len(verdicts) + len(faults)),
        failures=str(sum(not verdict.kept for verdict in verdicts)),
        errors=str(len(faults)),
        skipped="0",
        time=f"{sum(call.seconds for call in report.calls):.3f}",
        timestamp=report.started_at.isoformat(timespec="seconds"),
    )
    for verdict in verdicts:
        case = ElementTree.SubElement(suite, "testcase", classname="gate", name=str(verdict.condition))
        if not verdict.kept:
            ElementTree.SubElement(case, "failure", message=verdict.line)
        else:
            ElementTree.SubElement(case, "system-out").text = verdict.line
    for number, fault in enumerate(faults):
        name = f"{plain(fault.call)} {'' if fault.turn is None else f'turn {fault.turn} '}#{number}"
        case = ElementTree.SubElement(suite, "testcase", classname="run", name=name)
        ElementTree.SubElement(case, "error", type=fault.code, message=plain(fault.message))
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"
    )


def write_junit(report: Report, verdicts: Sequence[Verdict], path: Path) -> None:
    """Write the XML in one step. Raises AgentError if that cannot be done."""
    write_whole(path, junit_xml(report, verdicts))
