"""The head and the summary of the terminal report: no latency without what it has to be read with."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from agent.report.schema import Interval, Percentiles, Report
from latency_budget.exchange import Path


def headline(report: Report) -> Text:
    """What ran: mode, kind of calls, source of the turn ends, configuration; then the machine."""
    return Text("\n").join((Text(_run_line(report), style="bold"), Text(_machine_line(report))))


def _run_line(report: Report) -> str:
    sources = ", ".join(sorted({call.speech_end_source for call in report.calls})) or "none"
    mode = report.replay.mode
    facts = [
        f"{mode}, real time" if mode == "recorded" else mode,
        *([f"{report.replay.jobs} calls AT ONCE"] if report.replay.jobs > 1 else []),
        _kind(report),
        f"speech_end: {sources}",
        f"config {report.config.sha256[:8]}",
    ]
    return " | ".join(facts)


def _kind(report: Report) -> str:
    synthetic = sum(call.synthetic for call in report.calls)
    if synthetic == 0:
        return "real callers"
    return (
        "SYNTHETIC callers"
        if synthetic == len(report.calls)
        else f"{synthetic} of {len(report.calls)} SYNTHETIC"
    )


def _machine_line(report: Report) -> str:
    machine = report.machine
    memory = "" if machine.memory_gb is None else f", {machine.memory_gb:g} GB"
    gaps = report.replay.max_gap_s
    skipping = "no gap skipped" if gaps is None else f"gaps over {gaps:g} s skipped"
    return f"{machine.cpu}, {machine.cores} cores{memory}, {machine.os}, {machine.python} | {skipping}"


def summary_table(report: Report) -> Table:
    """The run's figures, two columns: what, and how much."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column()
    for name, value in _figures(report).items():
        table.add_row(Text(name), Text(value))
    return table


def _figures(report: Report) -> dict[str, str]:
    summary, intervals = report.summary, report.summary.wilson_95
    limits = summary.share_v2v_within
    limit = f"onset <= {report.config.budget_ms:g} ms"
    if report.config.content_budget_ms is not None:
        limit += f", V2V <= {report.config.content_budget_ms:g} ms"
    longest = "" if summary.longest_stall_ms is None else f", longest {summary.longest_stall_ms} ms"
    late = summary.lateness_ms
    figures = {
        "turns": f"{summary.turns} labelled, {summary.answered} answered with a V2V",
        "V2V ms": _spread(summary.v2v_ms),
        "onset ms": _spread(summary.onset_ms),
        "response ms": _spread(summary.response_ms),
        "endpoint delay ms": _spread(summary.endpoint_delay_ms),
        **{
            f"V2V <= {within} ms": _share(value, intervals.share_v2v_within[within])
            for within, value in limits.items()
        },
        "budget met": f"{_share(summary.budget_met, intervals.budget_met)}  ({limit})",
        "cut-ins": _share(summary.cut_ins, intervals.cut_ins),
        "damaging cut-ins": _share(summary.damaging_cut_ins, intervals.damaging_cut_ins),
        "missed": _share(summary.missed, intervals.missed),
        "overtaken": str(summary.overtaken),
        "interrupted": str(summary.interrupted),
        "stalls": f"{summary.stalls}{longest}",
        "underruns": str(summary.underruns),
        "paths": ", ".join(f"{path_word(path)} {count}" for path, count in summary.paths.items() if count)
        or "-",
        "frame lateness ms": "-" if late.p99 is None else f"p50 {late.p50:.2f}  p99 {late.p99:.2f}",
    }
    if summary.wer is not None:
        figures["word error rate"] = f"{100 * summary.wer:.1f} %"
    return figures


def path_word(path: Path | None) -> str:
    """How a reply was made, in a word that fits the column: what was speculated was prepared."""
    return "prep" if path == "speculated" else path or "-"


def _spread(found: Percentiles) -> str:
    if found.p50 is None or found.p90 is None or found.p95 is None or found.p99 is None:
        return "-  (n 0)"
    return f"p50 {found.p50:.0f}  p90 {found.p90:.0f}  p95 {found.p95:.0f}  p99 {found.p99:.0f}  (n {found.count})"


def _share(value: float | None, interval: Interval) -> str:
    if value is None or interval is None:
        return "-"
    return f"{100 * value:.1f} %  (95 %: {100 * interval[0]:.1f} to {100 * interval[1]:.1f})"
