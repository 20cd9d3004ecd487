"""Microphone and loudspeaker on a card that runs on virtual time: what hearing gets, and what sounds when."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import numpy as np
import pytest
from fake_card import BUFFER_S, FakeSd
from pipecat.frames.frames import (
    Frame,
    InputAudioRawFrame,
    InterruptionFrame,
    TTSAudioRawFrame,
    UserStartedSpeakingFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.workers.runner import WorkerRunner

from agent.errors import AgentError
from agent.frames import (
    PieceAudioFrame,
    ReplyAudibleFrame,
    ReplyAudioEndFrame,
    ReplyCancelledFrame,
    ReplyPlayedFrame,
)
from agent.transports.echo import NoGuard
from agent.transports.loudspeaker import GREETING
from agent.transports.microphone import Devices, Ears, MicrophoneTransport
from agent.transports.sound_card import SoundCard

pytestmark = [pytest.mark.looptime]

VOICE_HZ = 22_050
FADE_MS = 5.0


class Middle(FrameProcessor):
    """Between microphone and loudspeaker: keeps the caller's audio and what the loudspeaker tells."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[np.ndarray] = []
        self.told: list[tuple[float, Frame]] = []

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if isinstance(frame, InputAudioRawFrame):
            self.heard.append(np.frombuffer(frame.audio, dtype=np.int16))
        elif isinstance(frame, ReplyAudibleFrame | ReplyPlayedFrame):
            self.told.append((asyncio.get_running_loop().time(), frame))
        else:
            await self.push_frame(frame, direction)


@dataclass
class Bench:
    sd: FakeSd
    transport: MicrophoneTransport
    middle: Middle
    worker: PipelineWorker
    said: list[str] = field(default_factory=list)
    origins: list[float] = field(default_factory=list)

    async def say(self, reply: int, seconds: float, level: int = 8000) -> None:
        tone = np.full(round(VOICE_HZ * seconds), level, dtype=np.int16)
        for frame in (
            PieceAudioFrame(reply, 0, "words", True),
            TTSAudioRawFrame(tone.tobytes(), VOICE_HZ, 1),
            ReplyAudioEndFrame(reply),
        ):
            await self.middle.push_frame(frame)

    def sounding(self) -> list[float]:
        """When each audible block sounded, in seconds."""
        return [at for at, block in self.sd.played if np.abs(block.astype(int)).max() > 200]


@asynccontextmanager
async def bench(sd: FakeSd, devices: Devices | None = None) -> AsyncIterator[Bench]:
    said: list[str] = []
    origins: list[float] = []
    ears = Ears(lambda at, block: None, lambda at, block: None, said.append)
    card = SoundCard(sd)
    transport = MicrophoneTransport(
        card, devices or Devices(), NoGuard(), VOICE_HZ, FADE_MS, origins.append, ears
    )
    middle = Middle()
    worker = PipelineWorker(
        Pipeline([transport.input(), middle, transport.output()]),
        params=PipelineParams(audio_in_sample_rate=16_000, audio_out_sample_rate=VOICE_HZ),
        enable_rtvi=False,
        enable_turn_tracking=False,
        idle_timeout_secs=None,
    )
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    transport.open()
    watching = asyncio.create_task(transport.watch())
    running = asyncio.create_task(runner.run())
    await asyncio.sleep(0.2)
    try:
        yield Bench(sd, transport, middle, worker, said, origins)
    finally:
        watching.cancel()
        await worker.cancel()
        await running
        transport.close()


@pytest.mark.parametrize("refuses", [(), (16_000, 22_050)])
@pytest.mark.parametrize("mono", [True, False])
async def test_the_callers_samples_arrive_whatever_rate_the_device_takes(
    refuses: tuple[int, ...], mono: bool
) -> None:
    """A second of tone comes through within 1 % of its energy, at 16 kHz, in frames of 20 ms."""
    sd = FakeSd(refuses, mono=mono)
    t = np.arange(16_000) / 16_000
    sd.caller = (8000 * np.sin(2 * np.pi * 440 * t)).astype(np.int16)
    sd.caller_begins = sd.loop.time() + 0.5
    async with bench(sd, Devices(input="Headset B", output="Headset B")) as running:
        await asyncio.sleep(2.5)
    heard = np.concatenate(running.middle.heard).astype(np.float64)
    assert {len(block) for block in running.middle.heard} == {320}
    energy = np.sum(heard**2) / np.sum(sd.caller.astype(np.float64) ** 2)
    assert 0.97 < energy < 1.03


async def test_a_reply_is_told_audible_when_it_sounds() -> None:
    """The first block is taken at the next callback and sounds a buffer later; the marks say exactly that."""
    async with bench(FakeSd()) as running:
        await running.say(1, 0.4)
        await asyncio.sleep(1.0)
        heard = running.transport.playback.of(1)
        first, blocks = running.sounding()[0], len(running.sounding())
    assert heard.first_audio_ms == pytest.approx(first * 1000.0, abs=0.5)
    assert heard.end_ms is not None
    assert heard.end_ms - first * 1000.0 == pytest.approx(400.0, abs=10.0)
    assert blocks == 20
    assert [type(frame) for _, frame in running.middle.told] == [ReplyAudibleFrame, ReplyPlayedFrame]
    assert heard.underruns == 0


async def test_a_cancelled_reply_is_silent_within_its_buffer_and_never_comes_back() -> None:
    """What sounds after the cancel: the buffer that the card has, the block at hand, and the fade."""
    sd = FakeSd()
    async with bench(sd) as running:
        await running.say(1, 3.0)
        await asyncio.sleep(1.0)
        at = sd.loop.time()
        await running.middle.broadcast_frame(ReplyCancelledFrame, reply=1)
        await running.middle.broadcast_frame(InterruptionFrame)
        await asyncio.sleep(1.0)
        last = running.sounding()[-1]
        await running.say(2, 0.2)
        await asyncio.sleep(0.6)
    assert last + 0.02 - at <= BUFFER_S + 0.04 + 1e-6
    assert running.transport.playback.of(2).first_audio_ms is not None
    assert not any(isinstance(f, ReplyPlayedFrame) and f.reply == 1 for _, f in running.middle.told)


async def test_the_caller_stops_the_greeting() -> None:
    sd = FakeSd()
    async with bench(sd) as running:
        await running.say(GREETING, 3.0)
        await asyncio.sleep(0.5)
        at = sd.loop.time()
        await running.middle.broadcast_frame(UserStartedSpeakingFrame)
        await asyncio.sleep(1.0)
    assert running.sounding()[-1] + 0.02 - at <= BUFFER_S + 0.04 + 1e-6


async def test_twenty_interruptions_leave_no_task_behind() -> None:
    """Twenty replies, each cut off; the twenty-first plays to its end, and no task or stream is left."""
    sd = FakeSd()
    async with bench(sd) as running:
        before = len(asyncio.all_tasks())
        for reply in range(1, 21):
            await running.say(reply, 2.0)
            await asyncio.sleep(0.5)
            await running.middle.broadcast_frame(ReplyCancelledFrame, reply=reply)
            await running.middle.broadcast_frame(InterruptionFrame)
            await asyncio.sleep(0.2)
        await running.say(21, 0.4)
        await asyncio.sleep(1.0)
        after = len(asyncio.all_tasks())
        cut = [running.transport.playback.of(reply).end_ms is not None for reply in range(1, 21)]
        waiting = running.transport.output().queue.waiting_ms
    assert all(cut)
    assert [f.reply for _, f in running.middle.told if isinstance(f, ReplyPlayedFrame)] == [21]
    assert waiting == 0.0
    assert after <= before
    assert sd.closed == len(sd.opened) == 2


async def test_a_device_that_vanishes_is_said_and_silence_stands_in_for_it() -> None:
    """Three seconds without a device: the stream of the caller stays as long as time itself, and the call goes on."""
    sd = FakeSd()
    async with bench(sd) as running:
        await asyncio.sleep(1.0)
        sd.away = True
        await asyncio.sleep(3.0)
        sd.away = False
        sd.caller, sd.caller_begins = np.full(16_000, 9000, dtype=np.int16), sd.loop.time() + 8.0
        await asyncio.sleep(10.0)
        heard = np.concatenate(running.middle.heard)
        await running.say(1, 0.2)
        await asyncio.sleep(0.5)
        spoken = running.transport.playback.of(1).first_audio_ms
    assert running.said[0].startswith("Mic A gives no more sound")
    assert running.said[-1] == "The sound is back."
    assert running.transport.losses == 1
    assert sd.refreshed >= 1
    loud = np.flatnonzero(heard > 1000)
    assert len(loud) == pytest.approx(16_000, abs=640)
    assert running.origins[-1] + loud[0] / 16.0 == pytest.approx(sd.caller_begins * 1000.0, abs=20.0)
    assert spoken is not None


async def test_devices_are_found_by_number_name_or_part_of_one() -> None:
    card = SoundCard(FakeSd())
    assert card.find("output", None).name == "Speaker B"
    assert card.find("output", "2").name == "Headset B"
    assert card.find("input", "head").name == "Headset B"
    with pytest.raises(AgentError, match="is not unique"):
        card.find("output", "B")
    with pytest.raises(AgentError, match="is not there"):
        card.find("input", "Speaker B")


async def test_a_device_that_takes_nothing_is_named() -> None:
    card = SoundCard(FakeSd(tuple(range(1, 100_000))))
    with pytest.raises(AgentError, match="Mic A cannot be opened") as caught:
        card.format("input", card.find("input", None), 16_000)
    assert caught.value.exit_code == 3
