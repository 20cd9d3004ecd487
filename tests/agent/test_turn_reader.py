"""When a turn is read, and what comes out: audio and time by hand, a scripted recogniser, virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import numpy as np
import pytest

from agent.audio_history import AudioHistory
from agent.compute import Priority
from agent.fakes import ScriptedCompute
from agent.frames import HeardFrame, PartialFrame
from agent.playback import Playback
from agent.recorder import Recorder
from agent.turn_reader import WINDOW_MS, ReadingPlan, TurnReader, quietest_ms
from stages.contract import RATE_HZ, WINDOW_SAMPLES, Transcript
from stages.errors import EnvironmentFault
from stages.fakes import FakeRecogniser

pytestmark = [pytest.mark.looptime]

PLAN = ReadingPlan(lanes=2, partial_every_ms=480.0, partial_share=0.25)


class Bench:
    """A reader whose audio comes in windows of 32 ms at their pace."""

    def __init__(
        self,
        texts: list[str | Transcript | BaseException],
        plan: ReadingPlan = PLAN,
        takes_ms: dict[Priority, float] | None = None,
    ) -> None:
        self.ears = FakeRecogniser(texts)
        self.audio = AudioHistory()
        self.out: list[HeardFrame | PartialFrame] = []
        self.recorder = Recorder(Playback(16_000, 0.0))
        self.tasks: set[asyncio.Task[None]] = set()
        takes = takes_ms or {Priority.FINAL_TEXT: 100.0, Priority.PARTIAL: 100.0}
        self.compute = ScriptedCompute(takes)
        self.reader = TurnReader(
            self.ears, self.audio, self.compute, self.recorder, plan, self._push, self._spawn
        )

    async def _push(self, frame: HeardFrame | PartialFrame) -> None:
        self.out.append(frame)

    def _spawn(self, work: Coroutine[Any, Any, None], name: str) -> object:
        task = asyncio.create_task(work, name=name)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task

    async def hear(self, ms: float, *, voiced: bool = True) -> None:
        for _ in range(round(ms / WINDOW_MS)):
            await asyncio.sleep(WINDOW_MS / 1000.0)
            self.audio.append(np.full(WINDOW_SAMPLES, 0.1 if voiced else 0.0, dtype=np.float32))
            self.reader.window(self.audio.end_ms, voiced)

    async def settle(self) -> None:
        await asyncio.sleep(1.0)

    @property
    def partials(self) -> list[PartialFrame]:
        return [frame for frame in self.out if isinstance(frame, PartialFrame)]

    @property
    def finals(self) -> list[HeardFrame]:
        return [frame for frame in self.out if isinstance(frame, HeardFrame)]


async def test_partials_come_at_their_pace_and_the_words_that_two_agree_on_are_stable() -> None:
    bench = Bench(["I want", "I want to", "I want to go"])
    bench.reader.open(1, 0.0)
    await bench.hear(1600)
    assert [(p.turn, p.covers_ms, p.stable, p.open) for p in bench.partials] == [
        (1, 480.0, "", "I want"),
        (1, 960.0, "I want", "to"),
        (1, 1440.0, "I want to", "go"),
    ]


async def test_a_slow_recogniser_is_asked_less_often() -> None:
    bench = Bench(["slow"], takes_ms={Priority.PARTIAL: 240.0})
    bench.reader.open(1, 0.0)
    await bench.hear(3200)
    assert [p.covers_ms for p in bench.partials] == [480.0, 1440.0, 2400.0]


async def test_no_partials_without_a_pace_or_without_a_turn() -> None:
    quiet = Bench(["no"], ReadingPlan())
    quiet.reader.open(1, 0.0)
    await quiet.hear(3200)
    nobody = Bench(["no"])
    await nobody.hear(3200)
    assert (quiet.ears.heard, nobody.ears.heard) == ([], [])


async def test_no_partials_after_the_turn_and_again_when_it_is_taken_up() -> None:
    bench = Bench(["words"])
    bench.reader.open(1, 0.0)
    bench.reader.listen(False)
    await bench.hear(1600)
    assert bench.out == []
    bench.reader.listen(True)
    await bench.hear(160)
    await bench.settle()
    assert [p.turn for p in bench.partials] == [1]


async def test_the_final_reads_the_whole_turn_and_is_asked_for_once() -> None:
    bench = Bench(["I want", "I want to go."])
    bench.reader.open(1, 0.0)
    await bench.hear(640)
    await bench.hear(64, voiced=False)
    bench.reader.want(1, 640.0)
    await bench.settle()
    assert bench.finals[-1].text == "I want to go."
    assert bench.finals[-1].covers_ms == 640.0
    assert bench.ears.heard == [480 * 16, 704 * 16]


async def test_a_partial_under_way_that_heard_the_last_window_becomes_the_final() -> None:
    bench = Bench(["all of it"])
    bench.reader.open(1, 0.0)
    await bench.hear(320)
    await bench.hear(64, voiced=False)  # in the first silent window a partial is worth being early for
    bench.reader.want(1, 320.0)
    await bench.settle()
    assert bench.ears.heard == [352 * 16]
    assert bench.out == [bench.finals[0]]
    assert bench.finals[0].text == "all of it"


async def test_a_partial_that_heard_the_last_window_is_not_read_again() -> None:
    bench = Bench(["all of it"])
    bench.reader.open(1, 0.0)
    await bench.hear(320)
    await bench.hear(192, voiced=False)
    assert [p.covers_ms for p in bench.partials] == [352.0]
    bench.reader.want(1, 320.0)
    await bench.settle()
    assert bench.finals[0].text == "all of it"
    assert len(bench.ears.heard) == 1


async def test_a_partial_that_came_too_early_gives_way_to_the_final() -> None:
    bench = Bench(["final"], takes_ms={Priority.PARTIAL: 400.0, Priority.FINAL_TEXT: 100.0})
    bench.reader.open(1, 0.0)
    await bench.hear(544)
    await bench.hear(64, voiced=False)
    began = asyncio.get_running_loop().time()
    bench.reader.want(1, 544.0)
    while not bench.finals:
        await asyncio.sleep(0.01)
    assert asyncio.get_running_loop().time() - began == pytest.approx(0.1, abs=0.011)
    assert bench.ears.heard == [608 * 16]


async def test_words_of_an_old_turn_are_dropped_and_counted() -> None:
    bench = Bench(["old"])
    bench.reader.open(1, 0.0)
    await bench.hear(320)
    bench.reader.want(1, 320.0)
    await bench.hear(32)
    bench.reader.open(2, 352.0)
    bench.reader.want(1, 320.0)
    await bench.settle()
    assert bench.out == []
    assert bench.recorder.stale == 1


async def test_a_recogniser_that_breaks_ends_the_partials_of_the_turn_and_the_final_is_empty() -> None:
    bench = Bench([RuntimeError("out of memory"), EnvironmentFault("asr", "It broke."), "fine"])
    bench.reader.open(1, 0.0)
    await bench.hear(3200)
    bench.reader.want(1, 3200.0)
    await bench.settle()
    assert [(f.text, f.rejected) for f in bench.finals] == [("", None)]
    assert bench.recorder.failures == ["recognition: out of memory", "recognition: It broke."]
    bench.reader.open(2, 3200.0)
    await bench.hear(640)
    assert [p.open for p in bench.partials] == ["fine"]


async def test_a_recogniser_that_hangs_is_left_behind() -> None:
    takes = {Priority.FINAL_TEXT: 60_000.0}
    bench = Bench(["never", "never", "never"], ReadingPlan(lanes=1, stall_ms=2500.0), takes)
    bench.reader.open(1, 0.0)
    await bench.hear(320)
    bench.reader.want(1, 320.0)
    await bench.hear(3200)
    takes[Priority.FINAL_TEXT] = 100.0
    bench.reader.open(2, 3520.0)
    await bench.hear(320)
    bench.reader.want(2, 3840.0)
    await bench.settle()
    assert [f.turn for f in bench.finals] == [2]
    assert bench.recorder.failures == ["recognition: no answer in 2500 ms, it is left behind"]


async def test_unbroken_speech_is_cut_and_read_on_with_no_window_beyond_the_longest() -> None:
    texts = ["one two three four", "three four five six", "five six seven"]
    bench = Bench(texts, ReadingPlan())
    bench.reader.open(1, 0.0)
    await bench.hear(50_016)
    bench.reader.want(1, bench.audio.end_ms)
    await bench.settle()
    assert bench.finals[-1].text == "one two three four five six seven"
    assert max(bench.ears.heard) <= 24.1 * RATE_HZ


async def test_a_long_turn_with_pauses_never_reads_much_more_than_one_stretch() -> None:
    bench = Bench([f"part{k}" for k in range(40)], ReadingPlan())
    bench.reader.open(1, 0.0)
    for _ in range(30):
        await bench.hear(2944)
        voiced = bench.audio.end_ms
        await bench.hear(64, voiced=False)
        bench.reader.want(1, voiced)
        await bench.hear(320, voiced=False)
    await bench.settle()
    assert max(bench.ears.heard) <= 12.0 * RATE_HZ
    assert bench.finals[-1].text.split() == [f"part{k}" for k in range(2, 30, 3)]


def test_the_quietest_place_is_found() -> None:
    audio = np.full(3 * RATE_HZ, 0.1, dtype=np.float32)
    audio[RATE_HZ : RATE_HZ + 1600] = 0.001
    assert quietest_ms(audio) == pytest.approx(1050.0, abs=1.0)
