"""Tunes a configuration: the turn end on recorded silences, the rest by replays, and a replay of held-back calls."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent.bench.turn_end_evidence import Asked
from agent.bench.turn_end_fused import load_held_out
from agent.bench.turn_end_load import ask_all
from agent.calls.load import load_call
from agent.compute import len_usable_cores
from agent.config.load import Loaded
from agent.errors import AgentError
from agent.replay.sources import fingerprint
from agent.report.compare import Comparison, compare
from agent.report.machine import machine_facts
from agent.tune.choose import best_live, best_of, goals, hold_back, marked, plain, quickest, verdict
from agent.tune.knobs import EXACT, changed, live_knobs, present
from agent.tune.live import Figures, Replayed, replayed
from agent.tune.page import PAGE, write_page
from agent.tune.result import Change, Point, TuneResult, write_result
from agent.tune.search import Search, journal
from agent.tune.silences import Judge, Ready
from agent.tune.task import Call, Task, TuneWatcher

EXACT_POINTS = 300
TRIAL_S = 180.0
"""The audio that one trial replays, at most: long enough for some twenty turns, short enough for a dozen trials."""


class StoppedError(Exception):
    """Ctrl-C during a replay, which ends in order and says so by having no result."""


@dataclass
class _Found:
    before: Replayed | None = None
    exact: list[Point] = field(default_factory=list)
    live: list[Point] = field(default_factory=list)
    expected: list[Point] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)
    confirmed: Comparison | None = None
    keep: bool = True
    why: str = "Stopped before anything was found."


def tune(task: Task, watcher: TuneWatcher) -> TuneResult:
    """Search, confirm, and write ``tune.json`` and ``best.yaml`` as each stage ends.

    Ctrl-C ends it with the best so far (``finished`` is false); the same task goes on from there.

    Raises AgentError, StageError.
    """
    return _Tuning(task, watcher).run()


class _Tuning:
    def __init__(self, task: Task, watcher: TuneWatcher) -> None:
        self._task, self._watcher = task, watcher
        self._own = task.load({})
        if self._own.config.endpoint.decide != "fused":
            raise AgentError(
                "tune.decide",
                f"endpoint.decide is {self._own.config.endpoint.decide}: its keys are not searched.",
                "Tune with --set endpoint.decide=fused.",
            )
        calls = [_call(path) for path in task.calls]
        self._searched, self._held = hold_back(calls)
        self._trial_calls = [
            self._searched[at] for at in quickest([call.seconds for call in self._searched], TRIAL_S)
        ]
        cores = self._own.config.compute.cores
        self._knobs = live_knobs(self._own.config, len_usable_cores() if cores == "auto" else cores)
        self._mine = present(self._own.config, (*EXACT, *self._knobs))
        self._storage = journal(task.out / "study.log")
        self._found = _Found()

    @property
    def _confirming(self) -> list[Call]:
        return self._held or self._searched

    def run(self) -> TuneResult:
        finished = False
        self._tell_how_long()
        try:
            for stage in (self._baseline, self._turn_end, self._replays, self._confirm):
                stage()
                self._write(finished=False)
            finished = True
        except (KeyboardInterrupt, StoppedError):
            pass
        return self._write(finished=finished)

    def _tell_how_long(self) -> None:
        a_trial = sum(call.seconds for call in self._trial_calls)
        confirm = 2 * sum(call.seconds for call in self._confirming)
        minutes = ((1 + self._task.trials) * a_trial + confirm) / 60.0
        self._watcher.say(
            f"{len(self._searched)} calls to search on, {len(self._held)} held back; at most {minutes:.0f} min of "
            f"replays ({self._task.trials} trials of {a_trial:.0f} s, {confirm:.0f} s to confirm)."
        )
        if not self._held:
            self._watcher.say("One call alone: it is searched and confirmed on, which flatters the gain.")

    def _baseline(self) -> None:
        self._watcher.stage("The settings as they are", 1)
        self._found.before = self._replay(self._trial_calls, self._own, self._task.out / "before")
        self._watcher.step(_point({}, self._found.before.figures))

    def _turn_end(self) -> None:
        self._watcher.stage("Reading the silences", len(self._searched) + len(self._held))
        asked = self._asked()
        before = self._found.before
        ready = Ready.of(before.report.turns if before else [])
        weights, budget = load_held_out(), self._own.config.budget.budget_ms
        judge = Judge(_of(asked, self._searched), weights, ready, budget)
        own = {knob.key: self._mine[knob.key] for knob in EXACT}
        search = Search(self._storage, f"exact-{self._key()}", EXACT, 3)
        search.first(own)
        self._watcher.stage("Turn end, on recorded silences", EXACT_POINTS)
        try:
            for _ in search.walk(EXACT_POINTS, lambda tried: goals(_expected(judge, tried))[:3]):
                self._watcher.step(None)
        finally:
            self._take_exact([_expected(judge, settings) for settings, _ in search.done])
        if self._held:
            held = Judge(_of(asked, self._held), weights, ready, budget)
            self._found.expected = [_expected(held, own), _expected(held, self._ends())]

    def _ends(self) -> dict[str, Any]:
        return {knob.key: self._found.settings[knob.key] for knob in EXACT}

    def _take_exact(self, points: Sequence[Point]) -> None:
        if points:
            self._found.exact = marked(points)
            best = best_of(self._found.exact, self._task.cut_ins)
            self._found.settings = {**self._mine, **best.settings}
            self._found.why = "From recorded silences alone; no replay has confirmed it yet."

    def _asked(self) -> dict[str, list[Asked]]:
        paths = [call.path for call in (*self._searched, *self._held)]
        found: dict[str, list[Asked]] = {}
        for path in paths:
            for group in ask_all([path], self._own.config, lambda _: None).values():
                found.update(group)
            self._watcher.step(None)
        return found

    def _replays(self) -> None:
        ends = self._ends()
        search = Search(self._storage, f"live-{self._key()}-{_hash(ends)}", self._knobs, 5)
        search.first({knob.key: self._mine[knob.key] for knob in self._knobs})
        self._watcher.stage("Everything else, by replays", self._task.trials)
        seen: dict[str, Point] = {}

        def judge(tried: dict[str, Any]) -> list[float] | None:
            settings = {**ends, **plain(tried)}
            key = _hash(settings)
            try:
                trial = self._replay(
                    self._trial_calls, self._task.load(settings), self._task.out / "trials" / key
                )
            except StoppedError:
                return None
            seen[key] = point = _point(settings, trial.figures)
            self._watcher.step(point)
            return goals(point)

        try:
            for tried, _ in search.done:  # of an earlier run: its replays lie there
                if judge(tried) is None:
                    raise StoppedError
            for _ in search.walk(self._task.trials, judge):
                pass
            if len(search.done) < self._task.trials:
                raise StoppedError
        finally:
            self._take_live(list(seen.values()))

    def _take_live(self, points: Sequence[Point]) -> None:
        if points:
            self._found.live = marked(points)
            self._found.settings = {**self._mine, **best_live(self._found.live, self._task.cut_ins).settings}
            self._found.why = "From recorded silences and trials; no replay has confirmed it yet."

    def _confirm(self) -> None:
        if not changed(plain(self._mine), plain(self._found.settings)):
            self._found.why = "Nothing that was tried is better than the settings as they were."
            return
        folder, calls = self._task.out / "confirm", self._confirming
        tuned = self._task.load(self._found.settings)
        self._watcher.stage("Confirming by replays", 2 * len(calls))
        for upto in range(1, len(calls) + 1):  # in alternation: what the machine does meets both alike
            before = self._replay(calls[:upto], self._own, folder / "before")
            self._watcher.step(None)
            after = self._replay(calls[:upto], tuned, folder / "after")
            self._watcher.step(None)
            self._judge(compare([("before", before.report), ("after", after.report)]))

    def _judge(self, found: Comparison) -> None:
        if not found.others[0].pairs:
            self._found.keep, self._found.why = False, "Left as it was: the replays have no turn in common."
            return
        self._found.confirmed = found
        self._found.keep, self._found.why = verdict(found, broke_limit=self._broke_limit)

    def _replay(self, calls: Sequence[Call], loaded: Loaded, out: Path) -> Replayed:
        found = replayed([call.path for call in calls], loaded, out, self._watcher)
        if found is None:
            raise StoppedError
        return found

    @property
    def _broke_limit(self) -> bool:
        """Whether the settings as they were cut in too often, on the searched silences or in their replay."""
        own = plain({knob.key: self._mine[knob.key] for knob in EXACT})
        seen = [point.cut_ins for point in self._found.exact if point.settings == own]
        if self._found.before:
            seen.append(self._found.before.figures.cut_ins)
        return max(seen, default=0.0) > self._task.cut_ins

    def _key(self) -> str:
        run = f"{self._own.sha256()} {machine_facts().model_dump_json()}"
        return fingerprint(run, [call.path for call in (*self._searched, *self._held)])[:16]

    def _write(self, *, finished: bool) -> TuneResult:
        found = self._found
        after = plain(found.settings) if found.settings else plain(self._mine)
        changes = [
            Change(key=key, before=before, after=value)
            for key, (before, value) in changed(plain(self._mine), after).items()
        ]
        tuned = found.keep and bool(changes)
        result = TuneResult(
            finished=finished,
            budget_ms=self._own.config.budget.budget_ms,
            cut_ins=self._task.cut_ins,
            searched=[call.name for call in self._searched],
            held_back=[call.name for call in self._held],
            trial_calls=[call.name for call in self._trial_calls],
            own=plain(self._mine),
            before=found.before.figures if found.before else None,
            exact=found.exact,
            live=found.live,
            expected=found.expected,
            changes=changes,
            kept="tuned" if tuned else "own",
            why=found.why,
            confirmed=found.confirmed,
            config_sha256=self._own.sha256(),
            machine=machine_facts(),
        )
        settings = {change.key: change.after for change in changes} if tuned else {}
        write_result(result, self._task.load(settings), self._task.out)
        write_page(result, self._task.out / PAGE)
        return result


def _call(path: Path) -> Call:
    loaded = load_call(path)
    return Call(path, loaded.call.name, loaded.seconds)


def _of(asked: Mapping[str, list[Asked]], calls: Sequence[Call]) -> dict[str, list[Asked]]:
    return {call.name: asked[call.name] for call in calls}


def _expected(judge: Judge, settings: Mapping[str, Any]) -> Point:
    keys = {key.removeprefix("endpoint."): value for key, value in plain(dict(settings)).items()}
    found = judge.expected(**keys)
    return Point(
        settings=plain(dict(settings)),
        waited_ms=round(found.waited_ms, 1),
        within=round(found.within, 4),
        cut_ins=round(found.cut_ins, 4),
    )


def _point(settings: Mapping[str, Any], figures: Figures) -> Point:
    return Point(
        settings=plain(dict(settings)),
        waited_ms=figures.waited_ms,
        within=figures.within,
        cut_ins=figures.cut_ins,
        quality=figures.quality,
        cpu=figures.cpu,
    )


def _hash(settings: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(plain(dict(settings)), sort_keys=True).encode()).hexdigest()[:12]
