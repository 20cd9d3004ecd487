"""``bench facts``: how often a reply from memory is the right one, and learning when a fact is."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent.bench.fact_fit import Judged
    from agent.bench.ready_calls import Said
    from latency_budget.statistics import Share

FOREIGN_WORDS = frozenset(
    [
        "open",
        "close",
        "closed",
        "hours",
        "where",
        "address",
        "location",
        "pay",
        "phone",
        "appointment",
        "number",
    ]
)
"""Any persona may have an answer to a question with one of these."""
_VERDICT = {None: "", True: " fits", False: " DIFFERS"}


def bench_facts(
    calls: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Labelled calls or dialogues: what would be said from memory there.", show_default=False
        ),
    ] = None,
    half: Annotated[str, typer.Option(help="test, or dev: tenfold cross-validated, for tuning.")] = "test",
    persona: Annotated[str, typer.Option("--persona", "-p", help="Who answers in the calls.")] = "bank",
    learn: Annotated[
        Path | None, typer.Option("--learn", metavar="FILE", help="Learn the weights anew and write them.")
    ] = None,
    wrong: Annotated[
        bool, typer.Option("--wrong", help="Print every wrong fact, and each reply in calls.")
    ] = False,
    json_to: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Write JSON; `-` prints it as one line.")
    ] = None,
) -> None:
    """Judge facts that are said as they stand, and replies to manners.

    Weights are learned on the development questions and on lines that were written for it; `--half test` judges the
    shipped weights on questions that learning never saw.
    """
    from agent.bench.fact_fit import CHANCES, at_chance, cross_validated, judge
    from agent.bench.fact_lines import foreign_cases, task_cases, written_cases
    from agent.errors import AgentError
    from agent.prepare.fitting import shipped_fit

    if half not in ("dev", "test"):
        raise AgentError("bench.half", f"--half {half}: there are dev and test.", "Give one of them.")
    lines: list[str] = []
    document: dict[str, Any] = {"half": half}
    known = [*task_cases("dev"), *foreign_cases("dev", FOREIGN_WORDS), *written_cases()]
    said = _said(calls, persona) if calls else []
    if learn is not None:
        _write(learn, known, said)
    if half == "dev":
        judged = cross_validated(known)
    else:
        judged = judge([*task_cases("test"), *foreign_cases("test", FOREIGN_WORDS)], shipped_fit().weights)
    lines.append(
        f"{half}: {len(judged)} lines, {sum(bool(one.case.right) for one in judged)} that a fact answers"
    )
    rows = []
    for chance in CHANCES:
        right, covered = at_chance(judged, chance)
        lines.append(f"  chance >= {chance:.2f}: {_text(right)} right; {_text(covered)} of the answerable")
        rows.append({"chance": chance, "right": _data(right), "covered": _data(covered)})
    document["facts"] = rows
    lines += _wrong(judged, min(CHANCES)) if wrong else []
    if said:
        lines += _calls(said, wrong)
        document["calls"] = _calls_data(said)
    typer.echo("\n".join(lines), err=json_to == "-")
    if json_to is not None:
        text = json.dumps(document)
        if json_to == "-":
            typer.echo(text)
        else:
            Path(json_to).write_text(text + "\n", encoding="utf-8")


def _said(calls: list[Path], persona: str) -> list[Said]:
    from agent.bench.council_tasks import persona_path
    from agent.bench.ready_calls import said_in
    from agent.config.strict import load_model
    from agent.persona import Persona
    from agent.prepare.config import PrepareConfig
    from agent.prepare.lines import read_talks
    from agent.prepare.load import ready_replies
    from agent.prepare.replies import find_replies

    who = load_model(persona_path(persona), Persona)
    ready = ready_replies(PrepareConfig(), who, find_replies(None, persona))
    assert ready is not None  # the defaults allow manners and facts
    return said_in(read_talks(calls), ready)


def _write(path: Path, known: Sequence[Any], said: Sequence[Said]) -> None:
    import yaml

    from agent.bench.fact_fit import learn
    from agent.prepare.fitting import SHIPPED, shipped_fit

    judged = [one.fits for one in said if one.reply is not None and one.fits is not None]
    old = shipped_fit().manners_fit if SHIPPED.is_file() else 1.0
    # As if two more had been heard, one of them wrong: no count of hits makes a sure thing (Laplace).
    manners = (sum(judged) + 1) / (len(judged) + 2) if judged else old
    data = {
        "made": f"{date.today().isoformat()}, bench facts --learn",
        "lines": len(known),
        "manners_fit": round(manners, 3),
        "weights": learn(known),
    }
    head = "# When a fact is the answer. Learned, not written: see docs/controller.md. Numbers only.\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(head + yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
    typer.echo(f"wrote {path}", err=True)


def _wrong(judged: Sequence[Judged], lowest: float) -> list[str]:
    bad = [one for one in judged if one.found and not one.right and one.found.probability >= lowest]
    return [
        f"  wrong {one.found.probability:.2f}: {' / '.join((*one.case.before, one.case.ask))}"
        f" -> {one.case.persona.facts[one.found.index]}"
        for one in sorted(bad, key=lambda one: -(one.found.probability if one.found else 0.0))
        if one.found
    ]


def _calls(said: Sequence[Said], each: bool) -> list[str]:
    data = _calls_data(said)
    lines = [
        f"calls: {data['lines']} lines of callers; from memory {data['ready']['hits']}: "
        f"{data['manners']['hits']} of {data['manners']['count']} manners fit the recorded agent's reply, "
        f"{data['facts']} facts (no reference)"
    ]
    if each:
        lines += [
            f"  {one.reply.source} {one.reply.chance:.2f}{_VERDICT[one.fits]}: {one.caller} -> {one.reply.text}"
            f" | agent: {one.agent}"
            for one in said
            if one.reply
        ]
    return lines


def _calls_data(said: Sequence[Said]) -> dict[str, Any]:
    from latency_budget.statistics import share

    taken = [one for one in said if one.reply is not None]
    known = [one.fits for one in taken if one.fits is not None]
    return {
        "lines": len(said),
        "ready": _data(share(len(taken), len(said))),
        "manners": _data(share(sum(known), len(known))),
        "facts": len(taken) - len(known),
    }


def _text(one: Share) -> str:
    if one.value is None or one.low is None or one.high is None:
        return "none"
    return f"{one.hits} of {one.count} ({one.value:.0%}, {one.low:.0%} to {one.high:.0%})"


def _data(one: Share) -> dict[str, float | int | None]:
    return {"hits": one.hits, "count": one.count, "value": one.value, "low": one.low, "high": one.high}
