"""One turn told from its first sample to its reply: what was known, decided and done. For a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from agent.report.overview import path_word
from agent.report.schema import Report
from agent.report.table import flags, plain
from agent.report.turns import Decision, DecisionStep, Turn
from latency_budget.marks import Mark

_MARKS = {
    Mark.SPEECH_START: "the caller begins",
    Mark.SPEECH_END: "the caller's last voiced sample",
    Mark.SILENCE_SEEN: "hearing sees the silence",
    Mark.ASR_FINAL: "the final transcript",
    Mark.TURN_END: "the turn is taken for over",
    Mark.REPLY_STARTED: "the heard reply is begun",
    Mark.SEAT_STARTED: "its seat is free and begins",
    Mark.REPLY_FIRST_SEGMENT: "its first piece of text",
    Mark.TTS_FIRST_CHUNK: "its first sound is made",
    Mark.FIRST_AUDIO: "the agent is audible",
    Mark.FIRST_CONTENT: "the answer is audible",
    Mark.REPLY_END: "the reply ends",
}


def tell(turn: Turn) -> Iterator[RenderableType]:
    """The turn's words, marks, decisions and ways of answering."""
    notes = ", ".join(flags(turn))
    yield Text(f"{plain(turn.call)}, turn {turn.turn}" + (f": {notes}" if notes else ""), style="bold")
    yield Text(f"heard  {plain(turn.heard) or '-'}")
    if turn.reference:
        yield Text(f"label  {plain(turn.reference)}")
    yield Text(f"said   {plain(turn.said) or '-'}")
    yield Text(_latency(turn))
    yield Text("\nWhat happened, in ms after the caller's last voiced sample", style="bold")
    yield _marks(turn)
    decision = turn.decision
    if decision is None:
        yield Text("No decision: the agent never took this turn for over.")
        return
    if decision.steps:
        yield Text("\nWhat was decided (ms: foretold onset, median and p95)", style="bold")
        yield _steps(decision.steps)
    if decision.ways:
        yield Text("\nWays of answering that were begun", style="bold")
        yield _ways(decision)
    yield Text(f"\nIn the end: {path_word(decision.chosen)}: {plain(decision.why)}")
    if decision.best is not None:
        best = decision.best
        yield Text(
            f"In hindsight: {path_word_of(best.path)}, heard after {best.onset_ms} ms, quality {best.quality:.2f}; "
            f"quality lost against it: {best.regret:.2f}"
        )


def path_word_of(path: str) -> str:
    """A path, or the safe sentence, in a word."""
    return "prep" if path == "speculated" else path


def find(report: Report, number: int, call: str | None) -> list[Turn]:
    """The turns of this number; of one call where ``call`` names it."""
    return [turn for turn in report.turns if turn.turn == number and call in (None, turn.call)]


def _latency(turn: Turn) -> str:
    if turn.v2v_ms is None or turn.parts_ms is None:
        return "V2V    none"
    parts = " + ".join(f"{name} {ms}" for name, ms in turn.parts_ms.model_dump().items() if ms)
    return f"V2V    {turn.v2v_ms} ms = {parts or 0}"


def _marks(turn: Turn) -> Table:
    table = _table("ms", "what")
    zero = turn.marks.get(Mark.SPEECH_END, 0.0)
    for mark, at in sorted(turn.marks.items(), key=lambda item: item[1]):
        table.add_row(f"{at - zero:.0f}", _MARKS.get(mark, mark.replace("_", " ")))
    return table


def _steps(steps: Sequence[DecisionStep]) -> Table:
    table = _table("ms", "event", "chosen", "foretold", "quality", "why")
    for step in steps:
        foretold = "\n".join(
            f"{path_word_of(path)} {ms:.0f}, {step.predicted_p95_ms.get(path, ms):.0f}"
            for path, ms in step.predicted_ms.items()
        )
        quality = "\n".join(
            f"{value:.2f}" for value in (step.quality.get(path, 0.0) for path in step.predicted_ms)
        )
        done = [f"begun: {', '.join(step.started)}"] if step.started else []
        done += [f"stopped: {', '.join(step.aborted)}"] if step.aborted else []
        why = "; ".join([plain(step.why), *done])
        chosen = "safe sentence" if step.chosen is None else path_word_of(step.chosen)
        table.add_row(f"{step.waited_ms:.0f}", step.event, chosen, foretold, quality, why)
    return table


def _ways(decision: Decision) -> Table:
    table = _table("ready ms", "way", "heard", "tokens", "audio s", "price s", "said")
    for way in decision.ways:
        ready = "-" if way.ready_ms is None else f"{way.ready_ms:.0f}"
        cells = (
            ready,
            path_word_of(way.path),
            "yes" if way.heard else "no",
            str(way.tokens),
            f"{way.audio_s:.1f}",
            f"{way.price:.2f}",
            plain(way.said) or "-",
        )
        table.add_row(*cells)
    return table


def _table(*titles: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    for title in titles:
        figure = title.split()[0] in ("ms", "ready", "tokens", "audio", "price")
        long = title in ("why", "said", "what")
        table.add_column(title, justify="right" if figure else "left", no_wrap=not long, overflow="fold")
    return table
