"""The figures of the HTML report as words: the first screen, the lists of turns, what each number means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agent.report.overview import path_word
from agent.report.schema import Interval, Report
from agent.report.table import flags, plain
from agent.report.turns import Turn

MOST_COSTS = 3
MOST_SLOW = 5
MOST_WRONG = 40

PART_WORDS = {
    "endpoint": "waiting to be sure that the caller is done",
    "asr": "the last words of the turn",
    "decision": "choosing who answers",
    "model": "the first words of the reply",
    "tts": "the first sound of the reply",
    "output": "from the first sound to the caller's ear",
}

DEFINITIONS = (
    ("V2V", "from the caller's last voiced sample to the first audible sample of the agent that answers."),
    (
        "onset",
        "the same, to the first audible sample at all. Shorter where an opener or a bridge came first.",
    ),
    ("response", "from the agent's decision that the turn is over to the first answering sample."),
    (
        "endpoint delay",
        "from the last voiced sample to that decision. Negative: committed while the caller spoke.",
    ),
    ("cut-in", "the agent became audible while the turn was not over; a pause inside a turn belongs to it."),
    ("damaging cut-in", "both were audible together for more than 150 ms, or words of the caller were lost."),
    ("missed", "nothing was heard for more than 2000 ms after the turn."),
    ("overtaken", "the caller spoke again before anything was heard."),
    ("interrupted", "the caller spoke over the reply after it had begun."),
    ("stall", "a silence of more than 250 ms inside a reply."),
    ("parts", "V2V cut at the agent's own marks. Work that was done ahead costs 0; the parts sum to V2V."),
    ("interval", "95 % Wilson interval of a share: what may still be true with this many turns."),
)


@dataclass(frozen=True, slots=True)
class Card:
    """One figure of the first screen."""

    name: str
    value: str
    detail: str


@dataclass(frozen=True, slots=True)
class Cost:
    """One of the parts that cost most."""

    part: str
    words: str
    mean: str
    detail: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A turn in a list: what happened, and why the agent did what it did."""

    call: str
    turn: int
    what: str
    heard: str
    said: str
    reference: str
    why: str


def cards(report: Report) -> list[Card]:
    """The headline. No latency stands without cut-ins and missed turns beside it."""
    summary, intervals = report.summary, report.summary.wilson_95
    v2v = summary.v2v_ms
    answered = f"{summary.answered} of {summary.turns} turns"
    within = summary.share_v2v_within
    return [
        Card("V2V p50", _ms(v2v.p50), answered),
        Card("V2V p95", _ms(v2v.p95), answered),
        *(
            Card(f"within {limit} ms", percent(within[limit]), _range(intervals.share_v2v_within[limit]))
            for limit in ("200", "500")
        ),
        Card("cut-ins", percent(summary.cut_ins), _range(intervals.cut_ins)),
        Card("damaging cut-ins", percent(summary.damaging_cut_ins), _range(intervals.damaging_cut_ins)),
        Card("missed", percent(summary.missed), _range(intervals.missed)),
    ]


def budget_words(report: Report) -> str:
    """The budget, and how often it was kept."""
    config, summary = report.config, report.summary
    limit = f"onset within {config.budget_ms:g} ms"
    if config.content_budget_ms is not None:
        limit += f" and V2V within {config.content_budget_ms:g} ms"
    if summary.budget_met is None:
        return f"Budget: {limit}. No turn could be judged."
    met = f"{percent(summary.budget_met)} of the turns ({_range(summary.wilson_95.budget_met)})"
    return f"Budget: {limit}. Met in {met}."


def paths_words(report: Report) -> str:
    """How the replies were made."""
    taken = [f"{path_word(path)} {count}" for path, count in report.summary.paths.items() if count]
    return ", ".join(taken) or "none"


def costs(report: Report) -> list[Cost]:
    """The three parts of V2V that cost most."""
    dearest = list(report.summary.parts.items())[:MOST_COSTS]
    return [
        Cost(
            part,
            PART_WORDS[part],
            f"{cost.mean_ms:.0f} ms",
            f"{percent(cost.share)} of V2V, slowest part of {cost.slowest_in} turns",
        )
        for part, cost in dearest
    ]


def slowest(turns: Sequence[Turn]) -> list[Entry]:
    """The turns that were answered latest, the slowest first, without those that stand under ``wrong``."""
    timed = [turn for turn in turns if turn.v2v_ms is not None and not is_wrong(turn)]
    timed.sort(key=lambda turn: -(turn.v2v_ms or 0))
    return [entry(turn) for turn in timed[:MOST_SLOW]]


def wrong(turns: Sequence[Turn]) -> tuple[list[Entry], int]:
    """The turns in which the caller was hurt, and how many more than the listed ones there are."""
    found = [turn for turn in turns if is_wrong(turn)]
    return [entry(turn) for turn in found[:MOST_WRONG]], max(0, len(found) - MOST_WRONG)


def is_wrong(turn: Turn) -> bool:
    """Whether the caller was hurt, or the turn's marks cannot be."""
    return turn.missed or turn.cut_in or turn.fault is not None


def entry(turn: Turn) -> Entry:
    """One turn as a line of a list."""
    latency = [] if turn.v2v_ms is None else [f"V2V {turn.v2v_ms} ms"]
    cuts = [f"spoke over the caller for {cut.overlap_ms} ms" for cut in turn.cut_ins if cut.overlap_ms]
    faults = [] if turn.fault is None else [plain(turn.fault)]
    return Entry(
        call=turn.call,
        turn=turn.turn,
        what=", ".join([*latency, *flags(turn), *cuts, *faults]),
        heard=plain(turn.heard),
        said=plain(turn.said),
        reference=plain(turn.reference or ""),
        why=_why(turn),
    )


def _why(turn: Turn) -> str:
    if turn.decision is None:
        return "the agent never decided" if turn.exchange is None else ""
    guesses = ", ".join(f"{path} {ms:.0f} ms" for path, ms in sorted(turn.decision.predicted_ms.items()))
    predicted = f" (predicted: {guesses})" if guesses else ""
    return f"{path_word(turn.decision.chosen)}: {plain(turn.decision.why)}{predicted}"


def percent(value: float | None) -> str:
    """A share in per cent; a dash where nothing was counted."""
    return "-" if value is None else f"{100 * value:.1f} %"


def _ms(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f} ms"


def _range(interval: Interval) -> str:
    return (
        "nothing counted" if interval is None else f"95 %: {100 * interval[0]:.1f} to {100 * interval[1]:.1f}"
    )
