"""The HTML report: what it says, that nothing can get into it, and that its figures are those of report.json."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from scripted_call import BUDGET, context, exchange, report, rows

from agent.report.build import CallFacts, Rows, build_report
from agent.report.html import render_report
from agent.report.html_charts import distribution, waterfall
from agent.report.html_scale import axis
from agent.report.html_timeline import timeline
from agent.report.rows import turn_rows
from agent.report.schema import Report
from latency_budget.exchange import CallerTurn
from latency_budget.outcome import match

VOID = {"meta", "link", "br", "img"}


class Tags(HTMLParser):
    """Collects tags and the page's text; fails on a tag that is closed in the wrong place."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, (tag, self.getpos())

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] not in ("style", "script"):
            self.text += data + " "


def parsed(page: str) -> Tags:
    tags = Tags()
    tags.feed(page)
    assert not [tag for tag in tags.open if tag != "p"]
    return tags


def spoken(words: str, name: str = "demo") -> Report:
    matching = match(
        (CallerTurn(0, 1000, 2000, reference=words),),
        (exchange(0, 2160, ((2700, 2900),), words, words),),
    )
    facts = (CallFacts(name, 3, "labels", False, 1, recording=f"{name}.wav"),)
    return build_report(Rows(turn_rows(name, matching, {}, BUDGET)), context(calls=facts))


def test_the_first_screen_has_the_headline_with_cut_ins_and_missed_turns() -> None:
    text = " ".join(parsed(render_report(report())).text.split())
    first = text[: text.index("How long callers wait")]
    for words in (
        "SYNTHETIC callers",
        "V2V p50 450 ms 3 of 5 turns",
        "V2V p95 675 ms",
        "within 200 ms 0.0 % 95 %: 0.0 to 56.1",
        "within 500 ms 66.7 % 95 %: 20.8 to 93.8",
        "cut-ins 20.0 % 95 %: 3.6 to 62.5",
        "missed 20.0 %",
        "Budget: onset within 500 ms. Met in 50.0 % of the turns (95 %: 15.0 to 85.0).",
        "Replies made by: fast 3.",
        "253 ms endpoint : waiting to be sure that the caller is done 49.0 % of V2V, slowest part of 3 turns",
    ):
        assert words in first, (words, first)


def test_the_same_report_gives_the_same_bytes() -> None:
    assert render_report(report()) == render_report(Report.model_validate_json(report().to_json()))


def test_nothing_is_fetched_from_anywhere() -> None:
    page = render_report(spoken("Hello."))
    assert "://" not in page
    sources = [attrs["src"] for _, attrs in parsed(page).found if attrs.get("src")]
    assert sources == ["demo.wav"]


@pytest.mark.parametrize(
    "words", ["</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\"' onload='x"]
)
def test_a_caller_cannot_write_into_the_page(words: str) -> None:
    tags = parsed(render_report(spoken(words, "a'\"><b> c")))
    assert [tag for tag, _ in tags.found].count("script") == 1
    assert not {"img", "b"} & {tag for tag, attrs in tags.found if "src" in attrs or tag == "img"}
    assert not [attrs for _, attrs in tags.found if any(name.startswith("on") for name in attrs)]
    assert words in tags.text


def test_a_recording_plays_from_each_turn_and_none_is_asked_for_without_one() -> None:
    tags = parsed(render_report(spoken("Hello.")))
    buttons = [attrs for tag, attrs in tags.found if tag == "button"]
    assert {(one["data-call"], one["data-at"]) for one in buttons} == {("call0", "1.0")}
    silent = parsed(render_report(report()))
    assert not [tag for tag, _ in silent.found if tag in ("audio", "button")]


def test_a_run_without_turns_has_a_page() -> None:
    empty = build_report(Rows(()), context(calls=(CallFacts("hum", 3600, "offline_vad", False, 0),)))
    assert "No turn has a V2V." in parsed(render_report(empty)).text


def test_a_run_without_calls_has_a_page() -> None:
    parsed(render_report(build_report(Rows(()), context(calls=()))))


@pytest.mark.parametrize(
    ("high", "about", "last", "ticks"),
    [(700, 8, 700, 8), (701, 8, 800, 9), (1, 8, 1, 6), (0.3, 8, 0.3, 7), (5, 4, 6, 4), (12345, 8, 14000, 8)],
)
def test_an_axis_ends_at_a_round_number_that_holds_the_highest_value(
    high: float, about: int, last: float, ticks: int
) -> None:
    found = axis(high, 0, 100, about=about)
    assert (found.high, len(found.ticks)) == (last, ticks)
    assert found.at(0) == 0
    assert found.at(last) == found.at(2 * last) == 100


def test_the_histogram_counts_every_value_once_and_the_curve_ends_at_all_of_them() -> None:
    found = distribution([0, 49, 50, 99, 700, -20], [(500, "budget 500 ms")])
    assert found is not None
    assert [bar.title for bar in found.bars] == ["0 to 50 ms: 3", "50 to 100 ms: 2", "650 to 700 ms: 1"]
    assert (found.count, found.negative) == (6, 1)
    assert found.curve.endswith("468,18")
    assert found.limits == ((found.x.at(500), "budget 500 ms"),)
    assert distribution([]) is None


def test_the_parts_of_a_turn_lie_end_to_end_and_reach_to_its_latency() -> None:
    found = waterfall(rows().turns, [(500, "budget")])
    first = found.rows[0]
    assert [box.kind for box in first.parts] == ["endpoint", "asr", "decision", "model", "tts", "output"]
    for before, after in zip(first.parts, first.parts[1:], strict=False):
        assert after.x == pytest.approx(before.x + before.width, abs=0.11)
    assert first.words_x == found.x.at(400) + 6
    assert [row.words for row in found.rows] == [
        "400 ms",
        "700 ms, cut in before",
        "overtaken",
        "450 ms",
        "missed",
    ]


def test_the_timeline_shows_voices_pauses_waits_and_cut_ins_in_their_place() -> None:
    (line,) = timeline(22.5, rows().turns, rows().unmatched)
    kinds = [box.kind for box in line.boxes]
    assert {kind: kinds.count(kind) for kind in kinds} == {
        "caller": 6, "hold": 1, "agent": 4, "cutin": 1, "wait": 3, "stray": 1,
    }  # fmt: skip
    second = 888 / 30
    hold = next(box for box in line.boxes if box.kind == "hold")
    assert (hold.x, hold.width) == (round(64 + 6.5 * second, 1), pytest.approx(0.7 * second, abs=0.1))
    assert [note.words for note in line.notes if note.kind == "number"] == ["0", "1", "2", "3", "4"]


def test_a_voice_over_the_end_of_a_line_goes_on_in_the_next() -> None:
    turn = rows().turns[0].model_copy(update={"audible_ms": [(29_000.0, 31_000.0)]})
    first, second = timeline(40, [turn], [])
    assert [(box.x, box.width) for box in first.boxes if box.kind == "agent"] == [(922.4, 29.6)]
    assert [(box.x, box.width) for box in second.boxes if box.kind == "agent"] == [(64.0, 29.6)]


def test_a_reply_after_the_recording_is_drawn() -> None:
    turn = rows().turns[0].model_copy(update={"audible_ms": [(29_000.0, 61_000.0)]})
    assert len(timeline(29, [turn], [])) == 3


def test_a_hundred_calls_of_four_minutes_stay_below_three_megabytes_a_call() -> None:
    """The whole page of 100 calls with 1,200 turns is small, and only its outlines are open at first."""
    turns, facts = [], []
    for number in range(100):
        name = f"call {number}"
        turns += [
            row.model_copy(update={"call": name, "turn": 5 * times + row.turn})
            for times in range(3)
            for row in rows().turns
        ]
        facts.append(CallFacts(name, 240, "labels", False, 15, recording=f"{name}.wav"))
    page = render_report(build_report(Rows(turns), context(calls=tuple(facts))))
    assert len(page.encode()) < 6_000_000
    assert not re.search(r"<details id=\"call\d+\" open", page)
    assert 'src="call%2099.wav"' in page
