"""Stock pipecat on the recorded call: its own services and turn taking between our paced input and output.

    python -m agent.bench.peer_pipecat JOB.json

Options: ``smart_turn_timeout_s``, ``transcript_time`` ("measured" or null), ``rate_hz``, ``empty_turns``; null leaves
pipecat's default.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from pipecat.audio.turn.smart_turn.base_smart_turn import SmartTurnParams
from pipecat.audio.turn.smart_turn.local_smart_turn_v3 import LocalSmartTurnAnalyzerV3
from pipecat.audio.vad.silero import SileroVADAnalyzer
from pipecat.audio.vad.vad_analyzer import VADParams
from pipecat.frames.frames import (
    AggregatedTextFrame,
    Frame,
    InterruptionFrame,
    LLMContextFrame,
    OutputAudioRawFrame,
    TTSTextFrame,
    UserStoppedSpeakingFrame,
)
from pipecat.observers.base_observer import BaseObserver, FramePushed
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import (
    LLMContextAggregatorPair,
    LLMUserAggregatorParams,
)
from pipecat.processors.frame_processor import FrameDirection
from pipecat.services.openai.llm import OpenAILLMService
from pipecat.services.piper.tts import PiperTTSService
from pipecat.services.whisper.stt import WhisperSTTService
from pipecat.transports.base_transport import TransportParams
from pipecat.turns.user_stop import TurnAnalyzerUserTurnStopStrategy
from pipecat.turns.user_turn_strategies import UserTurnStrategies
from pipecat.workers.runner import WorkerRunner

from agent.bench.peer_log import LONGEST_TAIL_S, TAIL_QUIET_S, Job, PlayLog, read_job
from agent.clock import now_ms
from agent.playback import Playback
from agent.transports.output import PacedOutput
from agent.transports.recording import FRAME_MS, RecordedInput
from stages.contract import RATE_HZ, Audio

DEFAULT_OUT_HZ = 24_000
"""What pipecat's ``PipelineParams`` take without being told."""
MEASURED_TURNS = 8
TICK_S = 0.05


class LoggedOutput(PacedOutput):
    """Paces like a sound card, and writes down each block and the sentence that it belongs to."""

    def __init__(self, params: TransportParams, log: PlayLog, rate_hz: int) -> None:
        super().__init__(params, Playback(rate_hz, 0.0))
        self.log = log

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Note an interruption of what is being played."""
        if isinstance(frame, InterruptionFrame) and self._due_ms > now_ms():
            self.log.cut(now_ms())
        await super().process_frame(frame, direction)

    async def write_transport_frame(self, frame: Frame) -> None:
        """A sentence's text comes just before its audio."""
        if isinstance(frame, AggregatedTextFrame) and not isinstance(frame, TTSTextFrame):
            self.log.piece(now_ms(), frame.text)

    async def write_audio_frame(self, frame: OutputAudioRawFrame) -> bool:
        """Write one block when the device can take it."""
        await self.wait_for_room(frame)
        self.log.audio(self.put(frame), frame.audio)
        return True


class TurnLog(BaseObserver):
    """Notes the ends of turns and their words, from outside the pipeline."""

    def __init__(self, log: PlayLog) -> None:
        super().__init__(observe_every_push=False)
        self._log, self._heard = log, ""

    async def on_push_frame(self, data: FramePushed) -> None:
        """Look at each frame once."""
        if data.direction is not FrameDirection.DOWNSTREAM:
            return
        if isinstance(data.frame, LLMContextFrame):  # the model is asked just before the turn's end is told
            self._heard = str(data.frame.context.get_messages()[-1]["content"])  # type: ignore[index]
        elif isinstance(data.frame, UserStoppedSpeakingFrame):
            self._log.turn_end(now_ms(), self._heard)
            self._heard = ""


def transcript_time_s(stt: WhisperSTTService, job: Job, caller: Audio, vad_stop_s: float) -> float:
    """From the end of speech to the transcript: the slowest of some turns of the call, measured as documented."""
    model: Any = stt._model  # pipecat offers no other way to its model
    took = []
    for start_s, end_s in job.spoken_s[:MEASURED_TURNS]:
        spoken = caller[int(start_s * RATE_HZ) : int(end_s * RATE_HZ)]
        began = time.perf_counter()
        list(model.transcribe(spoken, language="en")[0])
        took.append(time.perf_counter() - began)
    return round(max(took) + vad_stop_s, 2)


def user_params(options: dict[str, Any]) -> LLMUserAggregatorParams:
    """Voice activity, and turn taking where a setting of it is given."""
    params = LLMUserAggregatorParams(vad_analyzer=SileroVADAnalyzer())
    if options["smart_turn_timeout_s"] is not None:
        analyzer = LocalSmartTurnAnalyzerV3(params=SmartTurnParams(stop_secs=options["smart_turn_timeout_s"]))
        params.user_turn_strategies = UserTurnStrategies(
            stop=[TurnAnalyzerUserTurnStopStrategy(turn_analyzer=analyzer)]
        )
    if not options["empty_turns"]:
        params.empty_user_turn = None
    return params


async def warm_up(stt: WhisperSTTService, tts: PiperTTSService) -> None:
    """Run both models once; the server is warm already."""
    model: Any = stt._model
    voice: Any = tts._voice
    await asyncio.to_thread(lambda: list(model.transcribe(np.zeros(RATE_HZ, np.float32), language="en")[0]))
    await asyncio.to_thread(lambda: list(voice.synthesize("Good morning.")))


async def run(job: Job) -> None:
    """One call, from its first frame until nothing more is said."""
    options = dict(job.options)
    caller = np.fromfile(job.caller, np.int16).astype(np.float32) / 32768.0
    rate = options["rate_hz"] or DEFAULT_OUT_HZ
    log = PlayLog(job.out, rate)
    whisper = WhisperSTTService.Settings(model=str(job.whisper))
    stt = WhisperSTTService(device="cpu", compute_type="int8", settings=whisper)
    llm = OpenAILLMService(
        api_key="none",
        base_url=job.server,
        settings=OpenAILLMService.Settings(
            model="local", temperature=0.0, max_tokens=job.max_tokens, system_instruction=job.prompt
        ),
    )
    tts = PiperTTSService(
        download_dir=job.voice.parent, settings=PiperTTSService.Settings(voice=job.voice.stem)
    )
    await warm_up(stt, tts)
    if options["transcript_time"] == "measured":
        time_s = transcript_time_s(stt, job, caller, VADParams().stop_secs)
        log.setting("ttfs_p99_latency", time_s)
        stt._ttfs_p99_latency = time_s  # what the constructor's argument sets
    context = LLMContext()
    user, assistant = LLMContextAggregatorPair(context, user_params=user_params(options))
    params = TransportParams(
        audio_in_enabled=True,
        audio_in_sample_rate=RATE_HZ,
        audio_out_enabled=True,
        audio_out_sample_rate=rate,
        audio_out_10ms_chunks=FRAME_MS // 10,
        audio_out_end_silence_secs=0,
    )
    source, sink = RecordedInput(params, caller, log.origin), LoggedOutput(params, log, rate)
    worker = PipelineWorker(
        Pipeline([source, stt, user, llm, tts, sink, assistant]),
        params=PipelineParams(audio_in_sample_rate=RATE_HZ, audio_out_sample_rate=rate),
        observers=[TurnLog(log)],
        enable_rtvi=False,
        idle_timeout_secs=None,
    )
    await follow(worker, source, log)
    log.close()


async def follow(worker: PipelineWorker, source: RecordedInput, log: PlayLog) -> None:
    """Run the worker until the recording is over and the agent was quiet for a while."""
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    running = asyncio.create_task(runner.run())
    tail = 0.0
    while not running.done() and tail < LONGEST_TAIL_S:
        await asyncio.sleep(TICK_S)
        if source.recording_over.is_set():
            tail += TICK_S
            if tail >= TAIL_QUIET_S and now_ms() - log.last_ms >= TAIL_QUIET_S * 1000.0:
                break
    await worker.cancel()
    await running


if __name__ == "__main__":
    asyncio.run(run(read_job(Path(sys.argv[1]))))
