"""The search itself: Optuna's tree-structured Parzen estimator (Bergstra 2011, several goals: Ozaki 2020), on disk."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution
from optuna.storages import BaseStorage, JournalStorage
from optuna.storages.journal import JournalFileBackend, JournalFileOpenLock
from optuna.trial import TrialState

from agent.errors import AgentError
from agent.tune.knobs import Knob, Settings

SEED = 20_261_204
Values = Sequence[float]
"""What a point is worth: each the less the better."""


def journal(path: Path) -> BaseStorage:
    """Keeps every trial at ``path`` as it ends. Raises AgentError if the file cannot be used."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return JournalStorage(JournalFileBackend(str(path), lock_obj=JournalFileOpenLock(str(path))))
    except (OSError, ValueError) as error:
        raise AgentError(
            "tune.journal", f"{path} cannot be used: {error}.", "Choose another folder with --out."
        ) from error


class Search:
    """A study of ``knobs``. ``name`` tells what it is about: a study of that name in the journal is gone on with."""

    def __init__(self, storage: BaseStorage | None, name: str, knobs: Sequence[Knob], goals: int) -> None:
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._space: dict[str, BaseDistribution] = {knob.key: _distribution(knob) for knob in knobs}
        self._study = optuna.create_study(
            storage=storage,
            study_name=name,
            sampler=optuna.samplers.TPESampler(
                seed=SEED, multivariate=True, n_startup_trials=max(4, len(knobs))
            ),
            directions=["minimize"] * goals,
            load_if_exists=True,
        )
        for trial in self._study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
            self._study.tell(trial.number, state=TrialState.FAIL)  # stopped half way: asked for again
            if trial.params:
                self._study.enqueue_trial(trial.params, skip_if_exists=False)

    @property
    def done(self) -> list[tuple[dict[str, Any], list[float]]]:
        """The points that were judged, with their values, in order."""
        trials = self._study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
        return [(dict(trial.params), list(trial.values)) for trial in trials]

    def first(self, settings: Settings) -> None:
        """Have this point judged before any other, unless it was already."""
        known = {key: value for key, value in settings.items() if key in self._space}
        self._study.enqueue_trial(known, skip_if_exists=True)

    def walk(self, count: int, judge: Callable[[dict[str, Any]], Values | None]) -> Iterator[dict[str, Any]]:
        """Judge points until ``count`` are done; gives each after it was judged. None from ``judge`` ends it.

        The same point is not judged twice: its values are taken from before.
        """
        while len(self.done) < count:
            known = {repr(sorted(params.items())): values for params, values in self.done}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # one's own settings may lie outside: they are judged too
                trial = self._study.ask(self._space)
            values = known.get(repr(sorted(trial.params.items()))) or judge(dict(trial.params))
            if values is None:
                self._study.tell(trial, state=TrialState.FAIL)
                self._study.enqueue_trial(trial.params, skip_if_exists=False)
                return
            self._study.tell(trial, list(values))
            yield dict(trial.params)


def front(points: Sequence[Values]) -> list[int]:
    """The indices of the points that no other is better than in every way (the Pareto front)."""
    return [at for at, one in enumerate(points) if not any(_beats(other, one) for other in points)]


def _beats(one: Values, other: Values) -> bool:
    pairs = list(zip(one, other, strict=True))
    return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)


def _distribution(knob: Knob) -> BaseDistribution:
    if knob.choices:
        return CategoricalDistribution(knob.choices)
    return FloatDistribution(knob.low, knob.high, log=knob.log, step=knob.step)
