"""Made traces: turns as they might be on some machine, with a load step where one is wanted. Seeded."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from latency_budget.predictor import Work
from latency_budget.profile import PRIORS, Stage
from latency_budget.simulate import PathTrace, TurnTrace


@dataclass(frozen=True, slots=True)
class World:
    """What the made turns are like.

    Attributes:
        speed: how many times the prior's time this machine really takes.
        noise: spread of a piece of work's time (standard deviation of its logarithm).
        step_at: turn at which the load sets in; None for never.
        step: how many times slower everything is from then on.
        drafted: share of turns whose draft still fits at the turn's end.
        cached: share of turns that a likely reply fits.
        batch: how many times one decode the accurate path's batch takes.
    """

    speed: float = 0.8
    noise: float = 0.12
    step_at: int | None = None
    step: float = 2.0
    drafted: float = 0.35
    cached: float = 0.2
    batch: float = 1.6


# Kinds of question and the share of right answers: a greeting or thanks, a plain fact, one that needs care.
KINDS = ((0.95, 0.97), (0.70, 0.85), (0.35, 0.65))
FITS = 0.98
"""Share of cached and prepared replies that fit the final text."""


def turns(count: int, seed: int, world: World | None = None) -> Iterator[TurnTrace]:
    """``count`` turns; the same for the same seed."""
    world = world or World()
    chance = random.Random(seed)
    for at in range(count):
        loaded = world.step_at is not None and at >= world.step_at
        yield _turn(chance, world, world.speed * (world.step if loaded else 1.0))


def _turn(chance: random.Random, world: World, speed: float) -> TurnTrace:
    fast_quality, accurate_quality = chance.choice(KINDS)
    read = float(chance.randint(5, 40))
    first, whole = float(chance.randint(3, 6)), float(chance.randint(7, 12))
    speak = Work(Stage.TTS, (float(chance.randint(8, 30)),))
    output = Work(Stage.OUTPUT)
    waited = chance.uniform(130.0, 200.0)
    turn_end = max(waited, chance.uniform(150.0, 400.0))
    ways: list[tuple[str, tuple[Work, ...], float]] = [
        ("fast", (Work(Stage.MODEL, (read, first)), speak, output), fast_quality),
        (
            "accurate",
            (Work(Stage.MODEL, (read, whole), factor=world.batch), speak, output),
            accurate_quality,
        ),
    ]
    if chance.random() < world.drafted:
        ways.append(("speculated", (output,), FITS * fast_quality))
    if chance.random() < world.cached:
        ways.append(("cached", (output,), FITS))
    return TurnTrace(waited, turn_end, tuple(_path(chance, world, speed, *way) for way in ways))


def _path(
    chance: random.Random, world: World, speed: float, path: str, works: tuple[Work, ...], quality: float
) -> PathTrace:
    took = tuple(
        work.factor
        * speed
        * PRIORS[work.stage].expects(work.amounts)
        * chance.lognormvariate(0.0, world.noise)
        for work in works
    )
    return PathTrace(path, works, took, quality, price=sum(took) / 1000.0)  # type: ignore[arg-type]
