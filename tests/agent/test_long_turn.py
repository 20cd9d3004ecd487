"""A caller who speaks for a minute and a half: the cost per second stays flat, and no word is lost at a cut."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agent.audio_history import AudioHistory
from agent.calls.voices import HibariVoice
from agent.compute import Priority
from agent.fakes import ScriptedCompute
from agent.frames import HeardFrame, PartialFrame
from agent.models.store import Store
from agent.playback import Playback
from agent.reading import LONGEST_MS
from agent.recorder import Recorder
from agent.turn_reader import WINDOW_MS, ReadingPlan, TurnReader
from stages.asr.wer import normalise, word_errors
from stages.asr.whisper import WhisperRecogniser
from stages.audio.resample import resample
from stages.contract import RATE_HZ, WINDOW_SAMPLES, Abort, Audio, Transcript, never
from stages.endpoint.silero import SileroVad

pytestmark = [pytest.mark.models, pytest.mark.looptime]

STORY = """
My sister and I drove to the lake on Saturday morning because the weather looked good. We had packed bread and cheese
and a big bottle of water. On the way the car made a strange noise and we stopped at a small garage near the river.
The man there looked at the engine and told us that a hose was loose. He fixed it in ten minutes and did not want any
money. So we gave him some of our bread and he was very happy. At the lake there were many people with children and
dogs. We found a quiet place under a tree and put our blanket down. The water was cold but my sister went in anyway and
she laughed the whole time. In the afternoon a boat came by and a woman sold ice cream from it. I had chocolate and my
sister had lemon. Then dark clouds came over the hills and everybody started to pack. We ran back to the car and the
rain began just as we closed the doors. On the way home we listened to old songs on the radio and sang along. It was
one of the best days of the whole summer and we want to go there again next month.
Before we go I have to buy a new basket because the handle of the old one broke. My neighbor sells baskets on the market
every Thursday and hers are strong and light. I also need a lamp for the tent since we want to stay for two nights. My
brother may come too if his boss gives him a day off. He cooks better than any of us and he always brings far too much
food. Last year he carried a whole pumpkin up the hill and made soup for everyone on the camping ground.
"""


class Counted:
    """A recogniser that notes how much audio each reading was given."""

    def __init__(self, inner: WhisperRecogniser) -> None:
        self.inner, self.read_s = inner, list[float]()

    def transcribe(self, audio: Audio, *, abort: Abort = never) -> Transcript:
        self.read_s.append(len(audio) / RATE_HZ)
        return self.inner.transcribe(audio, abort=abort)


@pytest.fixture(scope="module")
def recogniser() -> WhisperRecogniser:
    folder = Store(Path(os.environ["BUDGIE_MODELS"]) if "BUDGIE_MODELS" in os.environ else None)
    return WhisperRecogniser(folder.path("whisper-base"))


@pytest.fixture(scope="module")
def story() -> Audio:
    voice = HibariVoice()
    audio = resample(voice.speak(STORY.replace("\n", " "), speed=0.85), voice.rate_hz, RATE_HZ)
    return np.pad(audio, (RATE_HZ // 2, RATE_HZ // 2))


async def read(audio: Audio, ears: Counted, *, pauses: bool, partials_ms: float) -> str:
    """The words of the turn."""
    out: list[HeardFrame | PartialFrame] = []
    history, tasks = AudioHistory(), set[asyncio.Task[None]]()

    async def push(frame: HeardFrame | PartialFrame) -> None:
        out.append(frame)

    def spawn(work: Coroutine[Any, Any, None], name: str) -> object:
        task = asyncio.create_task(work, name=name)
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        return task

    compute = ScriptedCompute({Priority.FINAL_TEXT: 150.0, Priority.PARTIAL: 150.0})
    recorder = Recorder(Playback(RATE_HZ, 0.0))
    plan = ReadingPlan(lanes=2, partial_every_ms=partials_ms)
    reader = TurnReader(ears, history, compute, recorder, plan, push, spawn)
    reader.open(1, 500.0)
    vad, voiced, spoken, wanted = SileroVad(), False, 0.0, 0.0
    for window in audio[: len(audio) // WINDOW_SAMPLES * WINDOW_SAMPLES].reshape(-1, WINDOW_SAMPLES):
        await asyncio.sleep(WINDOW_MS / 1000.0)
        history.append(window)
        voiced = vad.probability(window) >= (0.35 if voiced else 0.5)
        reader.window(history.end_ms, voiced or not pauses)
        spoken = history.end_ms if voiced else spoken
        if pauses and spoken > wanted and history.end_ms - spoken >= 64.0:
            reader.want(1, spoken)
            wanted = spoken
    reader.want(1, history.end_ms)
    await asyncio.sleep(2.0)
    assert recorder.failures == []
    finals = [frame for frame in out if isinstance(frame, HeardFrame)]
    return finals[-1].text


@pytest.mark.parametrize(("pauses", "partials_ms"), [(True, 2000.0), (False, 0.0)])
async def test_ninety_seconds_cost_no_more_a_second_than_thirty_and_keep_their_words(
    recogniser: WhisperRecogniser, story: Audio, pauses: bool, partials_ms: float
) -> None:
    assert 80.0 <= len(story) / RATE_HZ <= 110.0
    ears = Counted(recogniser)
    text = await read(story, ears, pauses=pauses, partials_ms=partials_ms)
    length_s = len(story) / RATE_HZ
    count = len(ears.read_s)
    first, last = sum(ears.read_s[: count // 2]), sum(ears.read_s[count // 2 :])
    errors = word_errors(normalise(STORY), normalise(text))
    assert max(ears.read_s) <= 26.0
    assert last <= 1.3 * first + LONGEST_MS / 1000.0  # the last reading may end the turn at its longest
    assert first + last <= 6.0 * length_s
    assert errors <= 0.03 * len(normalise(STORY))
