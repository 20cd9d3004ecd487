"""Composition root: the one place that constructs things. ``build(loaded)`` gives a session that is ready to answer."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pipecat.transports.base_transport import BaseTransport

from agent.compute import Compute, Grant, Priority
from agent.config.load import Loaded
from agent.config.model import FAST, Config
from agent.controller.seats import CouncilPlan, SeatPlan
from agent.council import Council
from agent.council_members import council_of, open_seats
from agent.dialogue import Dialogue, RecordedLine
from agent.models.proof import settings_for
from agent.models.store import Store
from agent.pipeline import Call, Parts, wire
from agent.prepare.load import Prepared, load_prepared
from agent.recorder import Recorder
from agent.telemetry.opened import telemetry_of
from agent.telemetry.telemetry import Telemetry
from agent.turn_reader import ReadingPlan
from agent.turn_rules import rules_of
from stages.audio.resample import resample
from stages.contract import RATE_HZ, Message, Recogniser, Seat, TextEndModel, TurnEndModel, Voice
from stages.council.config import SeatConfig
from stages.endpoint.voice_gate import VoiceThresholds
from stages.registry import engine
from stages.tts.pieces import PieceSplitter

Say = Callable[[str], None]


@dataclass(frozen=True)
class Engines:
    """The heavy models, loaded once and shared by all calls of a session."""

    turn_end: TurnEndModel
    recogniser: Recogniser
    seat: Seat
    voice: Voice
    text_end: TextEndModel | None = None
    council: Mapping[str, Seat] = field(default_factory=dict)
    """What the council asks, by the seat's name; the fast seat's weights are shared."""


class Session:
    """A configuration with its models in memory. Calls run on it one after the other."""

    def __init__(
        self,
        loaded: Loaded,
        compute: Compute,
        engines: Engines,
        prepared: Prepared | None = None,
        telemetry: Telemetry | None = None,
    ) -> None:
        self.loaded, self.compute, self.engines, self.prepared = loaded, compute, engines, prepared
        self.telemetry = Telemetry() if telemetry is None else telemetry
        self.council: Council | None = council_of(loaded, engines.council, compute)
        """The accurate path; None where the configuration has no seats for it."""

    @property
    def config(self) -> Config:
        """The configuration in force."""
        return self.loaded.config

    def call(self, transport: BaseTransport, dialogue: Dialogue, recorder: Recorder) -> Call:
        """Wire a pipeline for one call. The caller's stream has a voice-activity state of its own."""
        return wire(self._parts(), transport, dialogue, recorder)

    def dialogue(self, recorded: list[RecordedLine] | None = None) -> Dialogue:
        """A conversation that begins with the persona's system prompt."""
        return Dialogue(self.loaded.persona.system_prompt(), recorded)

    async def warm_up(self) -> None:
        """Run every model once, so that the first turn costs what the others cost."""
        persona = self.loaded.persona
        messages: list[Message] = [{"role": "system", "content": persona.system_prompt()}]
        engines, run, threads = self.engines, self.compute.run, self.config.seats[FAST].threads
        await run(
            Priority.PREFILL, lambda grant: engines.seat.prefill(messages), threads=threads, resource=FAST
        )
        spoken = await run(
            Priority.SPEECH, lambda grant: engines.voice.speak(persona.greeting), resource="voice"
        )
        greeting = resample(spoken, engines.voice.rate_hz, RATE_HZ)
        await run(
            Priority.TURN_END, lambda grant: engines.turn_end.probability(greeting), resource="turn-end"
        )
        by_words = engines.text_end
        if by_words is not None:
            await run(
                Priority.TURN_END,
                lambda grant: by_words.end_probability(persona.greeting, "hello"),
                resource="turn-end-words",
            )
        await run(Priority.FINAL_TEXT, lambda grant: engines.recogniser.transcribe(greeting), resource="asr")
        if self.council is not None:
            await asyncio.gather(*(job.done for job in self.council.read_ahead()))

    def close(self) -> None:
        """End the threads, keep what was learned, and let the models go."""
        self.compute.close()
        self.telemetry.close()
        if self.prepared:
            self.prepared.keep()
        self.engines.seat.close()
        for seat in self.engines.council.values():
            seat.close()
        if self.engines.text_end is not None:
            self.engines.text_end.close()

    def _parts(self) -> Parts:
        config, persona = self.config, self.loaded.persona
        ends, prepared = config.endpoint, self.prepared
        return Parts(
            vad=engine("activity", "silero")(ends.vad),
            turn_end=self.engines.turn_end,
            recogniser=self.engines.recogniser,
            seat=_plan(self.engines.seat, config),
            council=None if self.council is None else _council_plan(self.council, config),
            voice=self.engines.voice,
            compute=self.compute,
            rules=rules_of(ends),
            text_end=self.engines.text_end,
            thresholds=VoiceThresholds(ends.vad_threshold, ends.vad_release, ends.quiet_db),
            tts_threads=config.tts.threads,
            splitter=lambda: PieceSplitter(config.tts.pieces),
            safe_sentence=persona.safe_sentence,
            again_sentence=persona.again_sentence,
            phrases=prepared.phrases if prepared else None,
            ready=prepared.ready if prepared else None,
            bridges=prepared.bridges if prepared else (),
            **({"forecaster": prepared.forecaster} if prepared else {}),
            reading=ReadingPlan(
                threads=config.asr.threads,
                lanes=config.asr.workers,
                partial_every_ms=config.asr.partial_every_ms,
                partial_share=config.asr.partial_share,
                stall_ms=ends.text_limit_ms,
            ),
        )


async def build(loaded: Loaded, say: Say = lambda line: None) -> Session:
    """Load and warm up every model that ``loaded`` names. Raises AgentError for one that is missing or broken."""
    config = loaded.config
    sys.setswitchinterval(config.compute.switch_interval_ms / 1000.0)
    cores = None if config.compute.cores == "auto" else config.compute.cores
    telemetry = telemetry_of(loaded)  # first: a port that is taken is told before the models are loaded
    compute = Compute(cores, config.compute.nice)
    try:
        engines = await _load(config, compute, say)
        store = Store(config.paths.models)
        voice_file = _onnx(store.path(config.tts.voice))
        prepared = await load_prepared(loaded, engines.voice, voice_file, store, compute, say)
        session = Session(loaded, compute, engines, prepared, telemetry)
        await session.warm_up()
    except BaseException:
        compute.close()
        telemetry.close()
        raise
    return session


async def _load(config: Config, compute: Compute, say: Say) -> Engines:
    store = Store(config.paths.models)
    own_asr = config.asr.engine != "pipecat"
    asr_path = store.path(config.asr.model) if own_asr else None
    voice_path = store.path(config.tts.voice)
    remote = config.seats[FAST].engine == "remote"  # then the model is a name at the server, no file here
    seat_path = Path(config.seats[FAST].model) if remote else store.path(config.seats[FAST].model)

    make_seat = engine("seat", config.seats[FAST].engine)
    make_voice = engine("voice", config.tts.engine)
    make_turn_end = engine("turn_end", "smart-turn")

    def recogniser_of(grant: Grant) -> Recogniser:
        if asr_path is None:
            from agent.pipecat_stt import PipecatRecogniser

            return PipecatRecogniser(config.asr)
        made: Recogniser = engine("asr", config.asr.engine)(asr_path, config.asr)
        return made

    def seat(grant: Grant) -> Seat:
        if remote:
            there: Seat = make_seat(seat_path, config.seats[FAST])
            return there
        made: Seat = make_seat(seat_path, _proven(config.seats[FAST], seat_path, store, say))
        return made

    def by_words(grant: Grant) -> TextEndModel | None:
        ends = config.endpoint.text_end
        if ends.model is None or config.endpoint.decide == "sound":
            return None
        path = store.path(ends.model)
        made: TextEndModel = engine("text_end", "llama")(path, _proven(ends.seat(), path, store, say))
        return made

    # Loaded inside the owner's threads: the libraries' own threads inherit their place behind playback.
    recogniser, fast, voice, turn_end, text_end = await asyncio.gather(
        compute.run(Priority.BACKGROUND, recogniser_of),
        compute.run(Priority.BACKGROUND, seat),
        compute.run(Priority.BACKGROUND, lambda grant: make_voice(_onnx(voice_path), config.tts)),
        compute.run(Priority.BACKGROUND, lambda grant: make_turn_end(config.endpoint.smart_turn)),
        compute.run(Priority.BACKGROUND, by_words),
    )
    council = await compute.run(
        Priority.BACKGROUND,
        lambda grant: open_seats(config, fast, store, lambda config, path: _proven(config, path, store, say)),
    )
    return Engines(turn_end, recogniser, fast, voice, text_end, council)


def _plan(seat: Seat, config: Config) -> SeatPlan:
    one = config.seats[FAST]
    return SeatPlan(
        FAST,
        seat,
        one.threads,
        one.max_tokens,
        one.temperature,
        remote=one.engine == "remote",
        price=one.price,
    )


def _council_plan(council: Council, config: Config) -> CouncilPlan:
    """The members' cores and prices together; a member on a server keeps no core busy."""
    names = dict.fromkeys(seat.member for seat in config.council.seats)
    members = [config.seats[name] for name in names]
    cores = max((one.threads for one in members if one.engine != "remote"), default=0)
    prices = [one.price for one in members if one.price is not None]
    return CouncilPlan(council, cores, sum(prices) if prices else None)


def _proven(config: SeatConfig, path: Path, store: Store, say: Say) -> SeatConfig:
    """``config`` with the kernels that the model was seen to survive on this machine."""
    proven = settings_for(path, store.fingerprint(path))
    if proven.note:
        say(proven.note)
    return config.model_copy(update={"use_extra_bufts": config.use_extra_bufts and proven.use_extra_bufts})


def _onnx(path: Path) -> Path:
    """The voice's model file; its settings lie beside it."""
    return path if path.is_file() else next(path.glob("*.onnx"))
