"""The comparison: every way answers every question, and each gets a row of figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from agent.bench.council_check import Verdict, check
from agent.bench.council_member import Member
from agent.bench.council_tasks import Half, Task, load_tasks
from agent.bench.council_ways import Spoken, Way
from agent.persona import Persona
from latency_budget.statistics import Share, median, percentile, share
from stages.council.ear import unfit

Z_95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Gain:
    """Points of accuracy above the baseline on the same questions, with a 95 % interval."""

    points: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Row:
    """One way's figures. ``false`` counts replies that state a value of no fact and no caller's word."""

    way: str
    right: Share
    gain: Gain
    false: Share
    unfit: Share
    first_ms_p50: float
    first_ms_p90: float
    all_ms_p50: float
    cpu_s_mean: float
    tokens_mean: float
    by_kind: dict[str, str]
    by_domain: dict[str, str]


@dataclass(frozen=True, slots=True)
class _Answer:
    domain: str
    task: Task
    spoken: Spoken
    verdict: Verdict


def questions(domains: Sequence[str], half: Half, limit: int | None) -> list[tuple[str, Task, Persona]]:
    """Domain, question and persona of every question asked; ``limit`` counts within each domain."""
    asked = []
    for domain in domains:
        tasks, persona = load_tasks(domain)
        asked += [(domain, task, persona) for task in tasks.half(half)[:limit]]
    return asked


def compare(
    ways: Sequence[Way],
    baseline: Way,
    members: dict[str, Member],
    asked: Sequence[tuple[str, Task, Persona]],
    note: Callable[[str], object],
) -> tuple[list[Row], list[dict[str, Any]]]:
    """A row for each of ``ways``, and every answer as plain data. ``note`` is told what is being asked."""
    answers: dict[str, list[_Answer]] = {}
    for way in [baseline, *(way for way in ways if way is not baseline)]:
        note(f"{way.name}: {len(asked)} questions")
        answers[way.name] = [_ask(way, members, *one) for one in asked]
        used = [member for name, member in members.items() if name in way.needs]
        for member in used:
            member.close()
    base = [answer.verdict.right for answer in answers[baseline.name]]
    rows = [_row(way.name, answers[way.name], base) for way in ways]
    plain = [_plain(way.name, answer) for way in ways for answer in answers[way.name]]
    return rows, plain


def gain(base: Sequence[bool], other: Sequence[bool]) -> Gain:
    """How much more often ``other`` was right, in points, with the interval of paired proportions (Wald, as in
    Agresti, "Categorical Data Analysis", section 11.1). Raises ValueError for lists that differ in length or are empty.
    """
    if len(base) != len(other) or not base:
        raise ValueError("paired answers need the same questions, and at least one")
    count = len(base)
    won = sum(new and not old for old, new in zip(base, other, strict=True))
    lost = sum(old and not new for old, new in zip(base, other, strict=True))
    mean = (won - lost) / count
    half = Z_95 * ((won + lost - (won - lost) ** 2 / count) ** 0.5) / count
    return Gain(100 * mean, 100 * max(-1.0, mean - half), 100 * min(1.0, mean + half))


def _ask(way: Way, members: dict[str, Member], domain: str, task: Task, persona: Persona) -> _Answer:
    spoken = way.answer(members, task, persona)
    return _Answer(domain, task, spoken, check(task, persona, spoken.text))


def _row(name: str, answers: Sequence[_Answer], base: Sequence[bool]) -> Row:
    count, spoken = len(answers), [answer.spoken for answer in answers]
    return Row(
        way=name,
        right=share(sum(answer.verdict.right for answer in answers), count),
        gain=gain(base, [answer.verdict.right for answer in answers]),
        false=share(sum(bool(answer.verdict.false) for answer in answers), count),
        unfit=share(sum(bool(unfit(one.text)) for one in spoken), count),
        first_ms_p50=median([one.first_ms for one in spoken]),
        first_ms_p90=percentile([one.first_ms for one in spoken], 90),
        all_ms_p50=median([one.all_ms for one in spoken]),
        cpu_s_mean=sum(one.cpu_s for one in spoken) / count,
        tokens_mean=sum(one.tokens for one in spoken) / count,
        by_kind=_split(answers, lambda answer: answer.task.kind),
        by_domain=_split(answers, lambda answer: answer.domain),
    )


def _split(answers: Sequence[_Answer], key: Callable[[_Answer], str]) -> dict[str, str]:
    groups: dict[str, list[bool]] = {}
    for answer in answers:
        groups.setdefault(key(answer), []).append(answer.verdict.right)
    return {name: f"{sum(right)}/{len(right)}" for name, right in groups.items()}


def _plain(way: str, answer: _Answer) -> dict[str, Any]:
    return {"way": way, "task": answer.task.id, "said": answer.spoken.text} | asdict(answer.verdict)
