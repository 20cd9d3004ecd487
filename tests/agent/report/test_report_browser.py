"""The report in a real browser, opened from the disk as a reader does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import chromium
import numpy as np
import pytest
import soundfile as sf
from scripted_call import TURNS, context, rows

from agent.report.build import CallFacts, build_report
from agent.report.compare import compare
from agent.report.compare_html import write_comparison
from agent.report.html import write_html
from agent.tune.page import write_page
from agent.tune.result import Point, TuneResult

pytestmark = pytest.mark.browser

PLAYING = "document.querySelector('audio').currentTime"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    sf.write(folder / "call.wav", np.zeros((30 * 8000, 2)), 8000)
    facts = (CallFacts("demo", 22.5, "labels", True, len(TURNS), recording="call.wav"),)
    write_html(build_report(rows(), context(calls=facts)), folder / "report.html")
    return folder / "report.html"


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[chromium.Chromium]:
    program = chromium.find()
    if program is None:
        pytest.skip(f"none of {', '.join(chromium.NAMES)} is installed; Debian: apt-get install chromium")
    with chromium.Chromium(program, tmp_path / "profile") as found:
        yield found


def test_the_recording_plays_from_any_turn_and_nothing_goes_wrong(
    browser: chromium.Chromium, page: Path
) -> None:
    browser.open(page)
    for turn in (3, 0, 4):
        browser.run(f"document.querySelectorAll('details table .play button')[{turn}].click()")
        begins = TURNS[turn].start_ms / 1000 - 0.5
        browser.until(
            f"{PLAYING} > {begins} && {PLAYING} < {begins + 2} && !document.querySelector('audio').paused"
        )
    assert browser.run("document.querySelector('audio').duration") == 30
    assert browser.run("document.querySelector('.no-audio').hidden")
    assert browser.problems == []
    asked = {request for request in browser.requests if not request.startswith("data:")}
    assert asked == {page.as_uri(), (page.parent / "call.wav").as_uri()}


def test_a_click_on_the_timeline_plays_from_there_and_the_line_follows(
    browser: chromium.Chromium, page: Path
) -> None:
    browser.open(page)
    browser.run(
        "(() => { const line = document.querySelector('svg.line'); const box = line.getBoundingClientRect();"
        "line.dispatchEvent(new MouseEvent('click', { bubbles: true,"
        "clientX: box.left + box.width * (64 + 888 / 3) / 960, clientY: box.top + 20 })); })()"
    )
    browser.until(f"Math.abs({PLAYING} - 10) < 2 && {PLAYING} >= 9.9")
    browser.until("document.querySelector('svg.line .cursor').style.visibility === 'visible'")
    place = browser.run("Number(document.querySelector('svg.line .cursor').getAttribute('x1'))")
    assert 64 + 9.9 * 888 / 30 <= place <= 64 + 14 * 888 / 30
    assert browser.problems == []


def test_a_recording_that_is_gone_is_told_on_the_page(
    browser: chromium.Chromium, page: Path, tmp_path: Path
) -> None:
    alone = tmp_path / "report.html"
    alone.write_bytes(page.read_bytes())
    browser.open(alone)
    browser.run("document.querySelector('.play button').click()")
    browser.until("!document.querySelector('.no-audio').hidden")


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_the_page_fits_its_window(browser: chromium.Chromium, page: Path, width: int) -> None:
    """Wide charts and tables scroll in themselves; the page never does."""
    browser.call(
        "Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=True
    )
    browser.open(page)
    assert browser.run("document.documentElement.scrollWidth") <= width


def test_the_comparison_fits_its_window_and_asks_for_nothing(
    browser: chromium.Chromium, tmp_path: Path
) -> None:
    found = build_report(rows(), context())
    write_comparison(compare([("before", found), ("after", found)]), tmp_path / "compare.html")
    browser.call(
        "Emulation.setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=1, mobile=True
    )
    browser.open(tmp_path / "compare.html")
    assert browser.run("document.querySelectorAll('table svg').length") > 10
    assert browser.run("document.documentElement.scrollWidth") <= 390
    assert browser.problems == []
    asked = [request for request in browser.requests if not request.startswith("data:")]
    assert asked == [(tmp_path / "compare.html").as_uri()]


def found_by_tune() -> TuneResult:
    point = Point(settings={"endpoint.cut_ins": 0.1}, waited_ms=900.0, within=0.4, cut_ins=0.1, front=True)
    other = Point(settings={"endpoint.cut_ins": 0.2}, waited_ms=500.0, within=0.6, cut_ins=0.2, front=True)
    return TuneResult(
        schema=1,
        finished=True,
        budget_ms=500.0,
        cut_ins=0.1,
        searched=["a"],
        held_back=[],
        trial_calls=["a"],
        own={"endpoint.cut_ins": 0.1},
        before=None,
        exact=[point, other],
        live=[],
        expected=[],
        changes=[],
        kept="own",
        why="Nothing was better.",
        confirmed=None,
        config_sha256="0" * 64,
        machine=context().machine,
    )


@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_of_a_search_fits_its_window_and_asks_for_nothing(
    browser: chromium.Chromium, tmp_path: Path, width: int
) -> None:
    write_page(found_by_tune(), tmp_path / "tune.html")
    browser.call(
        "Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=True
    )
    browser.open(tmp_path / "tune.html")
    assert browser.run("document.querySelectorAll('svg circle').length") == 2
    assert browser.run("document.documentElement.scrollWidth") <= width
    assert browser.problems == []
    asked = [request for request in browser.requests if not request.startswith("data:")]
    assert asked == [(tmp_path / "tune.html").as_uri()]


def test_the_page_follows_light_and_dark_and_prints_light(browser: chromium.Chromium, page: Path) -> None:
    browser.open(page)
    paper = {}
    for scheme, media in (("light", ""), ("dark", ""), ("dark", "print")):
        browser.call(
            "Emulation.setEmulatedMedia",
            media=media,
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )
        paper[scheme, media] = browser.run("getComputedStyle(document.body).backgroundColor")
    assert paper == {
        ("light", ""): "rgb(251, 250, 247)",
        ("dark", ""): "rgb(20, 24, 27)",
        ("dark", "print"): "rgb(255, 255, 255)",
    }
