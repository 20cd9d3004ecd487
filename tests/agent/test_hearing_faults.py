"""The whole pipeline when the caller's stream is at fault: it stops, jumps, changes its rate, or nobody answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest
from pipecat.frames.frames import InputAudioRawFrame
from pipecat.workers.runner import WorkerRunner
from test_pipeline import LevelVad, ScriptedSeat, ToneVoice, TurnEnd, caller, hold

from agent.compute import Priority
from agent.controller.seats import SeatPlan
from agent.dialogue import Dialogue
from agent.fakes import ScriptedCompute
from agent.pipeline import Parts, wire
from agent.playback import Playback
from agent.recorder import Recorder
from agent.transports.recording import RecordedInput, RecordingTransport
from agent.turn import Rules
from agent.turn_reader import ReadingPlan
from stages.contract import Audio
from stages.endpoint.voice_gate import VoiceThresholds
from stages.fakes import FakeRecogniser
from stages.tts.pieces import PieceSplitter

pytestmark = [pytest.mark.looptime]

Change = Callable[[int, InputAudioRawFrame], InputAudioRawFrame | None]
SPOKEN = ((320.0, 1600.0), (6000.0, 7008.0))


class OddInput(RecordedInput):
    """A recording whose frames are changed, or lost, on the way."""

    change: Change
    count = 0

    async def push_audio_frame(self, frame: InputAudioRawFrame) -> None:
        changed = self.change(self.count, frame)
        self.count += 1
        if changed is not None:
            await super().push_audio_frame(changed)


async def run(
    change: Change,
    audio: Audio,
    *,
    takes_ms: Mapping[Priority, float] | None = None,
    texts: Sequence[str | BaseException] = ("hello",),
) -> Recorder:
    recorder = Recorder(Playback(16_000, 20.0))
    compute = ScriptedCompute(dict.fromkeys(Priority, 100.0) | dict(takes_ms or {}))
    parts = Parts(
        vad=LevelVad(),
        turn_end=TurnEnd([0.97]),
        recogniser=FakeRecogniser(list(texts)),
        seat=SeatPlan("fast", ScriptedSeat(), 1, 40, 0.0),
        voice=ToneVoice(),
        compute=compute,
        rules=Rules(hold_ms=hold),
        thresholds=VoiceThresholds(0.5, 0.35),
        tts_threads=1,
        splitter=PieceSplitter,
        safe_sentence="I do not know that.",
        again_sentence="Please say that again.",
        reading=ReadingPlan(lanes=2, partial_every_ms=480.0),
    )

    def origin(at_ms: float) -> None:
        recorder.origin_ms = at_ms

    transport = RecordingTransport(audio, recorder.playback, origin)
    transport.input().__class__ = OddInput
    transport.input().change = change  # type: ignore[attr-defined]
    call = wire(parts, transport, Dialogue("rules"), recorder)
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(call.worker)
    running = asyncio.create_task(runner.run())
    await transport.input().recording_over.wait()
    await call.worker.cancel()
    await running
    recorder.close_all(0.0)
    compute.close()
    return recorder


def replies(recorder: Recorder) -> list[str]:
    return [" ".join(record.said) for record in recorder.records.values() if record.committed]


async def test_a_sound_stream_with_partials_gives_every_turn_its_answer() -> None:
    recorder = await run(lambda k, frame: frame, caller(*SPOKEN, total_ms=9000))
    assert replies(recorder) == ["You said hello", "You said hello"]
    assert recorder.failures == []


async def test_a_stream_that_stops_in_mid_turn_ends_the_turn_and_the_next_is_heard() -> None:
    def stops(k: int, frame: InputAudioRawFrame) -> InputAudioRawFrame | None:
        return None if 60 <= k < 250 else frame

    recorder = await run(stops, caller(*SPOKEN, total_ms=10_000))
    assert replies(recorder) == ["You said hello", "You said hello"]
    assert recorder.failures == ["the caller's audio stopped for 1020 ms: silence follows"]
    first = next(iter(recorder.records.values()))
    assert first.marks["turn_end"] - recorder.origin_ms < 1200.0 + 1000.0 + 400.0


async def test_time_stamps_that_jump_are_survived() -> None:
    def jumps(k: int, frame: InputAudioRawFrame) -> InputAudioRawFrame:
        frame.pts = (k * 20 + (90_000 if k >= 40 else 0)) * 1_000_000
        return frame

    recorder = await run(jumps, caller(*SPOKEN, total_ms=9000))
    assert replies(recorder) == ["You said hello", "You said hello"]
    assert recorder.failures == ["the caller's time stamps jumped by 90000 ms: not followed"]


async def test_a_rate_that_changes_in_mid_turn_is_resampled() -> None:
    def changes(k: int, frame: InputAudioRawFrame) -> InputAudioRawFrame:
        if k < 50:
            return frame
        wide = np.repeat(np.frombuffer(frame.audio, dtype=np.int16), 3)
        return InputAudioRawFrame(wide.tobytes(), 48_000, 1)

    recorder = await run(changes, caller(*SPOKEN, total_ms=9000))
    assert replies(recorder) == ["You said hello", "You said hello"]
    assert recorder.failures == ["the caller's audio changed from 16000 to 48000 Hz: resampled"]


async def test_a_recogniser_that_never_answers_closes_the_turn_with_a_reason() -> None:
    stalled = {Priority.FINAL_TEXT: 60_000.0, Priority.PARTIAL: 60_000.0}
    recorder = await run(lambda k, frame: frame, caller(SPOKEN[0], total_ms=9000), takes_ms=stalled)
    assert replies(recorder) == ["Please say that again."]
    assert [record.why for record in recorder.records.values()] == ["the recogniser gave no answer in time"]
    spoken_ms = next(iter(recorder.records.values())).marks["turn_end"] - recorder.origin_ms - SPOKEN[0][1]
    assert spoken_ms <= 2500.0 + 40.0


async def test_a_recogniser_that_always_raises_makes_the_agent_ask_again() -> None:
    recorder = await run(
        lambda k, frame: frame, caller(SPOKEN[0], total_ms=6000), texts=[RuntimeError("no memory")]
    )
    assert replies(recorder) == ["Please say that again."]
    assert set(recorder.failures) == {"recognition: no memory"}
