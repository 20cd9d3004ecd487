"""The ways of answering that are compared: members alone, samples and a way of deciding, the fact itself."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agent.bench.council_check import known
from agent.bench.council_member import MAX_TOKENS, MIN_P, Answers, Member
from agent.bench.council_tasks import Task
from agent.persona import Persona
from stages.contract import Message
from stages.council.deciding.candidate import Candidate, Decision
from stages.council.deciding.cascade import cascade
from stages.council.deciding.constrained import Option, choose
from stages.council.deciding.rank import rank
from stages.council.deciding.refine import refine_prompt
from stages.council.deciding.vote import vote
from stages.council.sample import Sampling

K = 4
TEMPERATURE = 0.7
SURE_WORDS = -2.0
"""A wording whose low quantile is below this gives way to the fact itself."""
OPTIONS = 3
"""Facts that the constrained choice is given, beside the safe sentence."""
FIT_WEIGHT = 0.2
"""One point of fit beside one nat of mean log-probability, in the constrained choice."""

Members = dict[str, Member]


@dataclass(frozen=True, slots=True)
class Spoken:
    """What one way said to one question, and what it cost."""

    text: str
    first_ms: float
    all_ms: float
    cpu_s: float
    tokens: int


@dataclass(frozen=True, slots=True)
class Way:
    """One row of the comparison; ``needs`` are the members it asks."""

    name: str
    needs: tuple[str, ...]
    answer: Callable[[Members, Task, Persona], Spoken]


def plain_prompt(task: Task, persona: Persona) -> list[Message]:
    """All facts in the system message and nothing else: the prompt before any of this was tried."""
    system: Message = {"role": "system", "content": persona.system_prompt()}
    return [system, *task.messages(), {"role": "user", "content": task.ask}]


def chosen_prompt(task: Task, persona: Persona) -> list[Message]:
    """The persona's own prompt: examples before the call, the facts that matter with the question."""
    return persona.ask(task.ask, task.messages())


def alone(member: str, prompt: Callable[[Task, Persona], list[Message]]) -> Callable[..., Spoken]:
    """One member, its likeliest reply."""

    def answer(members: Members, task: Task, persona: Persona) -> Spoken:
        made = members[member].answers(prompt(task, persona), [Sampling(MAX_TOKENS)])
        return Spoken(made.said[0].text, made.first_ms, made.all_ms, made.cpu_s, made.tokens)

    return answer


def fact(members: Members, task: Task, persona: Persona) -> Spoken:
    """The fact that fits best, as it stands; no model."""
    begin, cpu = time.perf_counter(), time.process_time()
    text = persona.direct(task.ask, task.messages()).text
    took = (time.perf_counter() - begin) * 1000.0
    return Spoken(text, took, took, time.process_time() - cpu, 0)


def samples(member: str, decide: Callable[..., Decision]) -> Callable[..., Spoken]:
    """K samples in one batch, the first one greedy, and ``decide`` over them."""

    def answer(members: Members, task: Task, persona: Persona) -> Spoken:
        made = members[member].answers(chosen_prompt(task, persona), _samplings())
        decided = decide(_candidates(made, member), known(task, persona), persona.safe_sentence)
        return Spoken(decided.text, made.all_ms, made.all_ms, made.cpu_s, made.tokens)

    return answer


def refined(member: str) -> Callable[..., Spoken]:
    """K samples, then one better answer from them."""

    def answer(members: Members, task: Task, persona: Persona) -> Spoken:
        messages = chosen_prompt(task, persona)
        drafts = members[member].answers(messages, _samplings())
        final = members[member].answers(
            refine_prompt(messages, _candidates(drafts, member)), [Sampling(MAX_TOKENS)]
        )
        decided = vote(_candidates(final, member), known(task, persona), persona.safe_sentence)
        return _after(drafts, final, decided.text)

    return answer


def cascaded(member: str) -> Callable[..., Spoken]:
    """The fact where it fits well enough, else the member, else the safe sentence.

    A higher gate than the persona's own was no better on the development half: 76 right at 5 and 6, 74 at 8, 66
    without the fact, against 77.
    """

    def answer(members: Members, task: Task, persona: Persona) -> Spoken:
        found = persona.direct(task.ask, task.messages())
        first = Candidate(found.text, (found.score - persona.lowest_fit,))
        decided = cascade([first], [0.0, -1.0], known(task, persona), persona.safe_sentence)
        if decided is not None:
            return fact(members, task, persona)
        made = members[member].answers(chosen_prompt(task, persona), [Sampling(MAX_TOKENS)])
        stages = [first, *_candidates(made, member)]
        last = cascade(stages, [0.0, -1.0], known(task, persona), persona.safe_sentence)
        assert last is not None
        return Spoken(last.text, made.all_ms, made.all_ms, made.cpu_s, made.tokens)

    return answer


def worded(member: str) -> Callable[..., Spoken]:
    """The fact in the member's words, as long as these state nothing else; the safe sentence where no fact fits."""

    def answer(members: Members, task: Task, persona: Persona) -> Spoken:
        found = persona.direct(task.ask, task.messages())
        if found.index is None:
            return fact(members, task, persona)
        made = members[member].answers(chosen_prompt(task, persona), [Sampling(MAX_TOKENS)])
        stages = [*_candidates(made, member), Candidate(found.text, (0.0,))]
        said = [found.text, task.ask, *task.history[::2]]
        decided = cascade(stages, [SURE_WORDS, -math.inf], said, persona.safe_sentence)
        assert decided is not None
        return Spoken(decided.text, made.all_ms, made.all_ms, made.cpu_s, made.tokens)

    return answer


def constrained(member: str) -> Callable[..., Spoken]:
    """The chosen facts and the safe sentence, scored as replies; the model only chooses."""

    def answer(members: Members, task: Task, persona: Persona) -> Spoken:
        before = list(task.history[-2:])
        fits = dict(zip(persona.facts, persona.index.scores(task.ask, before), strict=True))
        texts = [*persona.index.best(task.ask, OPTIONS, before), persona.safe_sentence]
        wider = persona.model_copy(update={"facts_per_question": OPTIONS})
        made = members[member].scores(chosen_prompt(task, wider), texts)
        options = [
            Option(text, fits.get(text, persona.lowest_fit), said.logprobs)
            for text, said in zip(texts, made.said, strict=True)
        ]
        text = options[choose(options, FIT_WEIGHT)].text
        return Spoken(text, made.all_ms, made.all_ms, made.cpu_s, made.tokens)

    return answer


def ways(small: str, middle: str, large: str | None) -> list[Way]:
    """All rows, the baseline (``middle`` alone with the plain prompt) second."""
    rows = [
        Way(f"{small} alone, plain prompt", (small,), alone(small, plain_prompt)),
        Way(f"{middle} alone, plain prompt", (middle,), alone(middle, plain_prompt)),
        Way(f"{middle} alone, facts chosen", (middle,), alone(middle, chosen_prompt)),
        Way(f"{K} x {middle}, vote", (middle,), samples(middle, vote)),
        Way(f"{K} x {middle}, rank", (middle,), samples(middle, rank)),
        Way(f"{K} x {middle}, refine", (middle,), refined(middle)),
        Way(f"{middle}, constrained", (middle,), constrained(middle)),
        Way(f"fact, then {middle}: cascade", (middle,), cascaded(middle)),
        Way(f"fact, worded by {middle}", (middle,), worded(middle)),
        Way("fact as it stands, no model", (), fact),
    ]
    if large is not None:
        rows.append(Way(f"{large} alone, plain prompt", (large,), alone(large, plain_prompt)))
        rows.append(Way(f"{large} alone, facts chosen", (large,), alone(large, chosen_prompt)))
    return rows


def _samplings() -> list[Sampling]:
    warm = [Sampling(MAX_TOKENS, TEMPERATURE, MIN_P, seed) for seed in range(1, K)]
    return [Sampling(MAX_TOKENS), *warm]


def _candidates(made: Answers, seat: str) -> Sequence[Candidate]:
    return [Candidate(said.text, said.logprobs, seat) for said in made.said]


def _after(one: Answers, two: Answers, text: str) -> Spoken:
    took = one.all_ms + two.all_ms
    return Spoken(text, took, took, one.cpu_s + two.cpu_s, one.tokens + two.tokens)
