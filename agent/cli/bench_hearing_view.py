"""The tables of ``bench hearing``."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from agent.bench.hearing import HearingReport
from agent.bench.hearing_score import Spread


def show(report: HearingReport, console: Console) -> None:
    """Print what was measured."""
    if report["live"]:
        _live(report, console)
    if report["words"]:
        rows = [
            (w["way"], w["wer_percent"], f"{w['errors']}/{w['words']}", w["unheard"], _spread(w["ms"]))
            for w in report["words"]
        ]
        _table(console, "Words", ("way", "WER %", "errors", "unheard", "ms p50/p95"), rows)
    if report["noise"]:
        noise = [(n["sound"], n["seconds"], n["opened"], n["answered"], n["asked"]) for n in report["noise"]]
        _table(console, "Noise", ("sound", "s", "opened", "answered", "asked again"), noise)


def _live(report: HearingReport, console: Console) -> None:
    names = ["measure", *(run["name"] for run in report["live"])]
    table = Table(*names, title="Live")
    for key, meaning in (
        ("turns", "turns answered"),
        ("wer_percent", "WER %"),
        ("partials", "partials"),
        ("partial_every_ms", "audio between partials, ms p50/p95"),
        ("partial_delay_ms", "partial behind its audio, ms p50/p95"),
        ("final_delay_ms", "final behind the last voiced window, ms p50/p95"),
        ("hidden", "finals hidden in the wait"),
        ("words_stable_at_pause", "words of the final that were stable before"),
        ("stable_words_kept", "stable words that the final kept"),
        ("cpu_speaking", "cores used while a turn is open"),
        ("cpu_idle", "cores used otherwise"),
        ("failures", "failures"),
    ):
        values = [run[key] for run in report["live"]]  # type: ignore[literal-required]
        table.add_row(meaning, *(_spread(v) if isinstance(v, dict) else str(v) for v in values))
    console.print(table)


def _table(
    console: Console, title: str, columns: tuple[str, ...], rows: Sequence[tuple[object, ...]]
) -> None:
    table = Table(*columns, title=title)
    for row in rows:
        table.add_row(*map(str, row))
    console.print(table)


def _spread(spread: Spread | dict[str, float | None]) -> str:
    return f"{spread['p50']}/{spread['p95']} (n={spread['n']})"
