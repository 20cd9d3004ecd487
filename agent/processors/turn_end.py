"""Turn taking on the pipeline: carries events to :func:`agent.turn.step` and does what it says."""

from __future__ import annotations

from pipecat.frames.frames import (
    Frame,
    InterruptionFrame,
    UserStartedSpeakingFrame,
    UserStoppedSpeakingFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from agent import turn as taking
from agent.audio_history import AudioHistory
from agent.clock import now_ms
from agent.compute import Compute, Job, Priority
from agent.dialogue import Dialogue
from agent.frames import (
    HeardFrame,
    PrefillFrame,
    ReadFrame,
    ReplyAudibleFrame,
    ReplyCancelledFrame,
    ReplyFrame,
    ReplyPlayedFrame,
    ReplyReleasedFrame,
    TurnOpenedFrame,
    VoiceFrame,
)
from agent.reading import PRE_ROLL_MS
from agent.recorder import Dropped, Recorder, ReplyRecord
from stages.contract import TextEndModel, TurnEndModel
from stages.errors import Aborted, StageError

MODEL_HEARS_MS = 8000.0


class TurnEndProcessor(FrameProcessor):
    """Decides when the caller's turn is over, and asks for the reply."""

    def __init__(
        self,
        model: TurnEndModel,
        audio: AudioHistory,
        compute: Compute,
        recorder: Recorder,
        dialogue: Dialogue,
        rules: taking.Rules,
        again_sentence: str,
        words_model: TextEndModel | None = None,
    ) -> None:
        super().__init__()
        self._words_model = words_model
        self._reading_words: Job[float] | None = None
        self._model, self._audio, self._compute = model, audio, compute
        self._recorder, self._dialogue, self._rules = recorder, dialogue, rules
        self._again = again_sentence
        self._state = taking.State()
        self._silence_seen: tuple[float, float] | None = None  # last voiced position, when it was seen
        self._heard_at = 0.0
        self._scoring: Job[float] | None = None

    @property
    def idle(self) -> bool:
        """Whether no turn is open and no reply is under way."""
        return self._state.phase is taking.Phase.IDLE

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Our own events end here; the rest passes."""
        await super().process_frame(frame, direction)
        if isinstance(frame, VoiceFrame):
            await self._step(
                taking.Window(frame.position_ms, frame.voiced, faint=frame.voiced and not frame.loud)
            )
        elif isinstance(frame, HeardFrame):
            await self._step(taking.Heard(frame.turn, frame.covers_ms, frame.text, frame.rejected))
        elif isinstance(frame, ReplyAudibleFrame):
            await self._step(taking.Audible(frame.reply))
        elif isinstance(frame, ReplyPlayedFrame):
            self._reply_over(frame.reply)
            await self._step(taking.Played(frame.reply))
        else:
            await self.push_frame(frame, direction)

    async def _step(self, event: taking.Event) -> None:
        before = self._state
        self._state, actions = taking.step(before, event, self._rules)
        if isinstance(event, taking.Window) and self._state.phase is taking.Phase.PAUSED:
            seen = self._silence_seen
            if seen is None or seen[0] != self._state.covers_ms:
                self._silence_seen = (self._state.covers_ms, now_ms())
        if isinstance(event, taking.Heard) and self._state.heard is event:
            self._heard_at = now_ms()
        for action in actions:
            await self._do(action)

    async def _do(self, action: taking.Action) -> None:
        if isinstance(action, taking.Open):
            await self._open(action)
        elif isinstance(action, taking.Read):
            await self.push_frame(ReadFrame(action.turn, action.covers_ms), FrameDirection.UPSTREAM)
        elif isinstance(action, taking.Score):
            self._score(action)
        elif isinstance(action, taking.ScoreWords):
            self._score_words(action)
        elif isinstance(action, taking.Draft):
            await self._make_reply(action)
        elif isinstance(action, taking.Commit):
            await self._commit(action)
        elif isinstance(action, taking.Withdraw):
            await self._withdraw(action)
        else:
            self._recorder.dropped.append(Dropped(action.turn, now_ms(), action.why))
            await self.broadcast_frame(UserStoppedSpeakingFrame)

    async def _open(self, action: taking.Open) -> None:
        await self.push_frame(TurnOpenedFrame(action.turn, action.start_ms), FrameDirection.UPSTREAM)
        await self.broadcast_frame(VADUserStartedSpeakingFrame)
        await self.broadcast_frame(UserStartedSpeakingFrame)
        await self.push_frame(PrefillFrame(action.turn, self._dialogue.messages(self._state.position_ms)))
        await self._step(taking.Asked(action.turn, self._dialogue.last_said(self._state.position_ms)))

    def _score(self, action: taking.Score) -> None:
        if self._scoring and not self._scoring.done.done():
            return  # the one before is still being computed; the next window asks again
        start = max(self._state.start_ms - PRE_ROLL_MS, self._audio.end_ms - MODEL_HEARS_MS)
        heard = self._audio.slice(start, self._audio.end_ms)
        self._scoring = self._compute.submit(
            Priority.TURN_END, lambda grant: self._model.probability(heard), resource="turn-end"
        )
        self.create_task(self._scored(self._scoring, action), "turn-end")

    async def _scored(self, job: Job[float], action: taking.Score) -> None:
        try:
            probability = await job.done
        except Aborted:
            return
        except StageError as error:
            self._recorder.failed(f"turn end: {error}")
            return
        await self._step(taking.Scored(action.turn, action.covers_ms, probability))

    def _score_words(self, action: taking.ScoreWords) -> None:
        model = self._words_model
        if model is None:
            return
        if self._reading_words:
            self._reading_words.abort()  # of a pause that is over, or of fewer words
        said = self._state.said
        job = self._compute.submit(
            Priority.TURN_END,
            lambda grant: model.end_probability(said, action.text, abort=grant.aborted),
            resource="turn-end-words",
        )
        self._reading_words = job
        self.create_task(self._words_scored(job, action), "turn-end-words")

    async def _words_scored(self, job: Job[float], action: taking.ScoreWords) -> None:
        try:
            probability = await job.done
        except Aborted:
            return
        except StageError as error:
            self._recorder.failed(f"turn end by the words: {error}")
            return
        await self._step(taking.WordsScored(action.turn, action.covers_ms, probability))

    async def _make_reply(self, action: taking.Draft | taking.Commit) -> None:
        """Have the reply made; nothing of it is heard before it is released."""
        record = ReplyRecord(action.turn, action.reply, action.text, action.covers_ms)
        if self._silence_seen and self._silence_seen[0] == action.covers_ms:
            record.marks["silence_seen"] = self._silence_seen[1]
        if self._state.heard is not None:
            record.marks["asr_final"] = self._heard_at
        self._recorder.begin(record)
        if action.text:
            self._dialogue.caller(action.turn, action.covers_ms, action.text)
        messages = self._dialogue.messages(self._state.position_ms)
        await self.push_frame(
            ReplyFrame(
                LLMContext(list(messages)),  # type: ignore[arg-type]
                turn=action.turn,
                reply=action.reply,
                fixed=None if action.text else self._again,
                turn_end_ms=self._rules.hold_ms(taking.known(self._state)),
            )
        )

    async def _commit(self, action: taking.Commit) -> None:
        if action.reply not in self._recorder.records:
            await self._make_reply(action)
        self._recorder.commit(action.reply, now_ms(), action.why)
        await self.push_frame(ReplyReleasedFrame(action.reply))
        silence_s = (self._state.position_ms - action.covers_ms) / 1000.0
        await self.broadcast_frame(VADUserStoppedSpeakingFrame, stop_secs=silence_s)
        await self.broadcast_frame(UserStoppedSpeakingFrame)

    async def _withdraw(self, action: taking.Withdraw) -> None:
        self._reply_over(action.reply, action.why)
        await self.broadcast_frame(ReplyCancelledFrame, reply=action.reply)
        if action.why == "resumed":
            return  # a draft: nothing of it was heard
        if action.why == "reopened":
            self._dialogue.forget_reply(action.turn)
            await self.broadcast_frame(UserStartedSpeakingFrame)
        await self.broadcast_frame(InterruptionFrame)

    def _reply_over(self, reply: int, withdrawn: str | None = None) -> None:
        self._recorder.close(reply, now_ms(), withdrawn)
        record = self._recorder.records.get(reply)
        if record and record.played and record.played.pieces:
            said = " ".join(p.text for p in record.played.pieces if p.first_ms is not None)
            self._dialogue.agent(record.turn, self._state.position_ms, said)
