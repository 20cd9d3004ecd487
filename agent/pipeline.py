"""The pipeline, wired in one place. A transport brings the caller's audio and takes ours away."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pipecat.observers.user_bot_latency_observer import UserBotLatencyObserver
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.transports.base_transport import BaseTransport

from agent.audio_history import AudioHistory
from agent.clock import now_ms
from agent.compute import Compute
from agent.controller.desk import Desk
from agent.controller.forecaster import Forecaster
from agent.controller.quality import Quality
from agent.controller.seats import CouncilPlan, SeatPlan
from agent.dialogue import Dialogue
from agent.prepare.phrases import Phrases
from agent.prepare.ready import ReadyReplies
from agent.processors.council import CouncilProcessor
from agent.processors.hearing import HearingProcessor
from agent.processors.ready import ReadyProcessor
from agent.processors.speaking import SpeakingProcessor
from agent.processors.turn_end import TurnEndProcessor
from agent.recorder import Recorder
from agent.turn import Rules
from agent.turn_reader import ReadingPlan
from latency_budget.config import BudgetConfig, PathQuality
from latency_budget.predictor import Predictor
from stages.contract import RATE_HZ, Recogniser, TextEndModel, TurnEndModel, Voice, VoiceActivity
from stages.endpoint.voice_gate import VoiceThresholds
from stages.tts.pieces import PieceSplitter


@dataclass(frozen=True)
class Parts:
    """The engines and settings that one call runs on."""

    vad: VoiceActivity
    turn_end: TurnEndModel
    recogniser: Recogniser
    seat: SeatPlan
    voice: Voice
    compute: Compute
    rules: Rules
    thresholds: VoiceThresholds
    tts_threads: int
    splitter: Callable[[], PieceSplitter]
    safe_sentence: str
    again_sentence: str
    reading: ReadingPlan = field(default_factory=ReadingPlan)
    phrases: Phrases | None = None
    ready: ReadyReplies | None = None
    text_end: TextEndModel | None = None
    council: CouncilPlan | None = None
    bridges: Sequence[str] = ()
    forecaster: Forecaster = field(
        default_factory=lambda: Forecaster(Predictor(), BudgetConfig(), Quality(PathQuality()))
    )


@dataclass(frozen=True)
class Call:
    """One call on the pipeline: run ``worker``; ``turns`` knows whether anything is under way."""

    worker: PipelineWorker
    turns: TurnEndProcessor


def wire(parts: Parts, transport: BaseTransport, dialogue: Dialogue, recorder: Recorder) -> Call:
    """Caller -> hearing -> turn end -> council -> speaking -> loudspeaker."""
    audio = AudioHistory()
    hearing = HearingProcessor(
        parts.vad, parts.recogniser, audio, parts.compute, recorder, parts.thresholds, parts.reading
    )
    turns = TurnEndProcessor(
        parts.turn_end, audio, parts.compute, recorder, dialogue, parts.rules, parts.again_sentence,
        parts.text_end,
    )  # fmt: skip
    recorder.watcher = parts.forecaster
    council = CouncilProcessor(_desk(parts, recorder))
    speaking = SpeakingProcessor(parts.voice, parts.compute, recorder, parts.tts_threads, parts.phrases)
    ready: list[FrameProcessor] = [ReadyProcessor(parts.ready)] if parts.ready else []
    observer = UserBotLatencyObserver()

    @observer.event_handler("on_latency_measured")  # type: ignore[untyped-decorator]
    async def _observed(_: object, seconds: float) -> None:
        recorder.observed_ms.append((now_ms(), seconds * 1000.0))

    worker = PipelineWorker(
        Pipeline([transport.input(), hearing, turns, *ready, council, speaking, transport.output()]),
        params=PipelineParams(audio_in_sample_rate=RATE_HZ, audio_out_sample_rate=parts.voice.rate_hz),
        observers=[observer],
        enable_rtvi=False,
        enable_turn_tracking=False,
        idle_timeout_secs=None,
    )
    return Call(worker, turns)


def _desk(parts: Parts, recorder: Recorder) -> Desk:
    return Desk(
        seat=parts.seat,
        council=parts.council,
        compute=parts.compute,
        recorder=recorder,
        splitter=parts.splitter,
        safe_sentence=parts.safe_sentence,
        forecaster=parts.forecaster,
        phrases=parts.phrases,
        bridges=parts.bridges,
        voice_hz=parts.voice.rate_hz,
    )
