"""``main.py bench``: measure a part on labelled calls or tasks. Each benchmark is a module of its own."""

from __future__ import annotations

import typer

from agent.cli.lazy import Entry, lazy_group

BENCHES = (
    Entry(
        "turn-end",
        "Dead air at shifts against cut-ins at holds, beside a bare timer and smart-turn alone.",
        "agent.cli.bench_turn_end",
        "bench_turn_end",
    ),
    Entry(
        "hearing",
        "Partials, finals, word error rate, noise and the cost of hearing.",
        "agent.cli.bench_hearing",
        "bench_hearing",
    ),
    Entry(
        "council",
        "Accuracy, false facts and time of members and ways of deciding.",
        "agent.cli.bench_council",
        "bench_council",
    ),
    Entry(
        "facts",
        "Replies from memory: facts as they stand and manners, how often they fit.",
        "agent.cli.bench_facts",
        "bench_facts",
    ),
    Entry(
        "controller",
        "Choice of the path: budget sweep, regret, coverage of the predictions, load steps.",
        "agent.cli.bench_controller",
        "bench_controller",
    ),
    Entry(
        "peer",
        "Other voice agents on the same calls, machine and models, by the same clock.",
        "agent.cli.bench_peer",
        "bench_peer",
    ),
    Entry(
        "referees",
        "Other people's tools on our recordings: do they see what our report says?",
        "agent.cli.bench_referees",
        "bench_referees",
    ),
)

app = typer.Typer(
    cls=lazy_group(BENCHES),
    help="Measure a part of the agent.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)
