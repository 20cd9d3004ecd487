"""The report as one HTML file: no network, nothing beside it but the recordings that it plays.

Same report, same bytes: the only time in it is the run's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from agent.report.facts import Call
from agent.report.html_charts import Waterfall, begins_s, distribution, waterfall
from agent.report.html_foretold import curve, scatter
from agent.report.html_timeline import Line, clock, timeline
from agent.report.html_words import (
    DEFINITIONS,
    PART_WORDS,
    budget_words,
    cards,
    costs,
    entry,
    paths_words,
    percent,
    slowest,
    wrong,
)
from agent.report.overview import path_word
from agent.report.schema import Report
from agent.report.table import flags, plain
from agent.report.turns import Turn
from agent.report.write import write_whole

TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class CallView:
    """What one call's section shows. ``audio`` is the recording's address relative to the page."""

    call: Call
    key: str
    turns: list[Turn]
    audio: str | None
    waterfall: Waterfall
    lines: tuple[Line, ...]


def render_report(report: Report) -> str:
    """The page of a report. Texts of the call are escaped: a caller cannot write into the page."""
    limits = _limits(report)
    turns = report.turns
    listed, more_wrong = wrong(turns)
    return render(
        "report.html.j2",
        {
            "report": report,
            "cards": cards(report),
            "budget": budget_words(report),
            "paths": paths_words(report),
            "costs": costs(report),
            "v2v": distribution(_answered_ms(report), limits),
            "endpoint": distribution(
                [turn.endpoint_delay_ms for turn in turns if turn.endpoint_delay_ms is not None]
            ),
            "curve": curve(report.summary.endpointing),
            "foretold": scatter(turns),
            "slowest": slowest(turns),
            "wrong": listed,
            "more_wrong": more_wrong,
            "calls": [_call(report, call, index) for index, call in enumerate(report.calls)],
            "places": _places(report),
            "parts": PART_WORDS,
            "definitions": DEFINITIONS,
        },
    )


def write_html(report: Report, path: Path) -> None:
    """Write the page in one step. Raises AgentError if that cannot be done."""
    write_whole(path, render_report(report))


def render(template: str, values: Mapping[str, object]) -> str:
    """Fill a template of this folder. A name that it does not know is an error, never an empty place."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        plain=plain, percent=percent, clock=clock, flags=flags, begins=begins_s, path=path_word, entry=entry
    )
    return environment.get_template(template).render(values)


def _answered_ms(report: Report) -> list[int]:
    """The latencies that the summary's percentiles of V2V rest on."""
    return [turn.v2v_ms for turn in report.turns if turn.v2v_ms is not None and not turn.overtaken]


def _limits(report: Report) -> list[tuple[float, str]]:
    content = report.config.content_budget_ms
    limit = report.config.budget_ms if content is None else content
    return [(limit, f"budget {limit:g} ms")]


def _call(report: Report, call: Call, index: int) -> CallView:
    turns = [turn for turn in report.turns if turn.call == call.call]
    strays = [row for row in report.unmatched if row.call == call.call]
    return CallView(
        call=call,
        key=f"call{index}",
        turns=turns,
        audio=None if call.recording is None else quote(call.recording),
        waterfall=waterfall(turns, _limits(report)),
        lines=timeline(call.seconds, turns, strays),
    )


def _places(report: Report) -> dict[str, dict[int, tuple[str, float]]]:
    """For each recorded call and its turns: the section on the page, and where the turn begins, in seconds."""
    keys = {
        call.call: f"call{index}" for index, call in enumerate(report.calls) if call.recording is not None
    }
    places: dict[str, dict[int, tuple[str, float]]] = {name: {} for name in keys}
    for turn in report.turns:
        if turn.call in places:
            places[turn.call][turn.turn] = (keys[turn.call], begins_s(turn))
    return places
