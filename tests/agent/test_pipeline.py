"""The whole pipeline on virtual time: real frames and processors, scripted engines, exact milliseconds."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from pipecat.workers.runner import WorkerRunner

from agent.compute import Priority
from agent.controller.seats import SeatPlan
from agent.dialogue import Dialogue
from agent.fakes import ScriptedCompute
from agent.pipeline import Parts, wire
from agent.playback import Playback
from agent.prepare.ready import ReadyReplies, Sureness
from agent.recorder import Recorder, ReplyRecord
from agent.transports.recording import RecordingTransport
from agent.turn import Known, Rules
from stages.contract import RATE_HZ, Abort, Audio, Message, Piece, Prefill, Transcript, never
from stages.council.fact_fit import FactFit
from stages.council.facts import FactIndex
from stages.endpoint.voice_gate import VoiceThresholds
from stages.errors import EnvironmentFault
from stages.fakes import FakeTextEnd
from stages.tts.pieces import PieceSplitter

pytestmark = [pytest.mark.looptime]

TAKES_MS = {
    Priority.TURN_END: 50.0,
    Priority.FINAL_TEXT: 100.0,
    Priority.MODEL: 150.0,
    Priority.FIRST_SPEECH: 60.0,
    Priority.SPEECH: 60.0,
}
DEVICE_MS = 20.0
VOICE_HZ = 16_000


class LevelVad:
    """Voice is whatever is loud."""

    def probability(self, window: Audio) -> float:
        return 1.0 if float(np.abs(window).mean()) > 0.1 else 0.0

    def reset(self) -> None:
        pass


@dataclass
class Ears:
    """Gives its texts in turn; the last one again and again. An exception is raised instead of given."""

    texts: Sequence[str | Transcript | Exception]
    heard_s: list[float] = field(default_factory=list)

    def transcribe(self, audio: Audio, *, abort: Abort = never) -> Transcript:
        item = self.texts[min(len(self.heard_s), len(self.texts) - 1)]
        self.heard_s.append(len(audio) / RATE_HZ)
        if isinstance(item, Exception):
            raise item
        return item if isinstance(item, Transcript) else Transcript(item)


@dataclass
class TurnEnd:
    probabilities: Sequence[float]
    asked: int = 0

    def probability(self, turn: Audio) -> float:
        self.asked += 1
        return self.probabilities[min(self.asked - 1, len(self.probabilities) - 1)]


@dataclass
class ScriptedSeat:
    answer: Callable[[str], str] = lambda text: f"You said {text}"
    asked: list[list[Message]] = field(default_factory=list)

    @property
    def last_prefill(self) -> Prefill:
        return Prefill(10, 8)

    def prefill(self, messages: Sequence[Message], *, abort: Abort = never) -> Prefill:
        return self.last_prefill

    def close(self) -> None:
        pass

    def reply(
        self, messages: Sequence[Message], *, max_tokens: int, temperature: float = 0.0, abort: Abort = never
    ) -> Iterator[Piece]:
        self.asked.append(list(messages))
        for word in self.answer(messages[-1]["content"]).split(" "):
            yield Piece(word + " ", 1)


class ToneVoice:
    """100 ms of tone a word, after 10 ms of silence."""

    rate_hz = VOICE_HZ

    def __init__(self, fails_on: str = "") -> None:
        self.fails_on = fails_on

    def speak(self, text: str) -> Audio:
        if self.fails_on and self.fails_on in text:
            raise EnvironmentFault("tts.broken", "The voice broke.")
        n = len(text.split()) * VOICE_HZ // 10
        tone = 0.3 * np.sin(2 * np.pi * 300 * np.arange(n) / VOICE_HZ)
        return np.concatenate([np.zeros(VOICE_HZ // 100), tone]).astype(np.float32)


def hold(known: Known) -> float:
    probability = known.audio[-1] if known.audio else None
    return 64.0 if probability is not None and probability >= 0.9 else 1400.0


def caller(*spans_ms: tuple[float, float], total_ms: float) -> Audio:
    audio = np.zeros(int(total_ms * RATE_HZ / 1000), dtype=np.float32)
    for start, end in spans_ms:
        n = int(start * RATE_HZ / 1000), int(end * RATE_HZ / 1000)
        audio[n[0] : n[1]] = 0.5 * np.sin(2 * np.pi * 250 * np.arange(n[1] - n[0]) / RATE_HZ)
    return audio


@dataclass
class Ran:
    recorder: Recorder
    seat: ScriptedSeat
    dialogue: Dialogue

    @property
    def replies(self) -> list[ReplyRecord]:
        return [record for record in self.recorder.records.values() if record.committed]

    def at(self, reply: int, name: str) -> float:
        return round(self.recorder.records[reply].marks[name] - self.recorder.origin_ms, 3)

    def first_audio(self, reply: int) -> float | None:
        at = self.recorder.playback.of(reply).first_audio_ms
        return None if at is None else round(at - self.recorder.origin_ms, 3)


async def run(
    audio: Audio,
    *,
    ears: Sequence[str | Transcript | Exception] = ("hello",),
    ends: Sequence[float] = (0.97,),
    seat: ScriptedSeat | None = None,
    voice: ToneVoice | None = None,
    ready: ReadyReplies | None = None,
    by_words: FakeTextEnd | None = None,
    takes_ms: Mapping[Priority, float] = TAKES_MS,
    change: Callable[[Parts], Parts] = lambda parts: parts,
) -> Ran:
    seat, voice = seat or ScriptedSeat(), voice or ToneVoice()
    playback = Playback(VOICE_HZ, DEVICE_MS)
    recorder, dialogue = Recorder(playback), Dialogue("rules")
    compute = ScriptedCompute(takes_ms)
    parts = Parts(
        vad=LevelVad(),
        turn_end=TurnEnd(ends),
        recogniser=Ears(ears),
        seat=SeatPlan("fast", seat, 1, 40, 0.0),
        voice=voice,
        compute=compute,
        rules=Rules(hold_ms=hold),
        thresholds=VoiceThresholds(0.5, 0.35),
        tts_threads=1,
        splitter=PieceSplitter,
        safe_sentence="I do not know that.",
        again_sentence="Please say that again.",
        ready=ready,
        text_end=by_words,
    )

    def origin(at_ms: float) -> None:
        recorder.origin_ms = at_ms

    transport = RecordingTransport(audio, playback, origin)
    call = wire(change(parts), transport, dialogue, recorder)
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(call.worker)
    running = asyncio.create_task(runner.run())
    while not transport.input().recording_over.is_set():
        await asyncio.sleep(0.01)
    await call.worker.cancel()
    await running
    recorder.close_all(0.0)
    compute.close()
    return Ran(recorder, seat, dialogue)


async def test_every_mark_of_a_plain_turn_to_the_millisecond() -> None:
    ran = await run(caller((320, 1600), total_ms=4000))
    assert [r.heard for r in ran.replies] == ["hello"]
    # Window 50 ends at 1600 ms. Windows come with 20 ms frames: the one to 1632 with the frame to 1640, and so on.
    assert ran.at(1, "silence_seen") == 1640.0
    assert ran.at(1, "asr_final") == 1780.0  # asked at 64 ms of silence, in the frame to 1680
    assert ran.at(1, "turn_end") == 1780.0
    assert ran.at(1, "reply_started") == 1780.0
    assert ran.at(1, "reply_first_segment") == 1930.0
    assert ran.at(1, "tts_first_chunk") == 1990.0
    assert ran.first_audio(1) == 1990.0 + 10.0 + DEVICE_MS
    assert max(ran.recorder.frame_lateness_ms) == 0.0


async def test_a_reply_drafted_in_the_silence_is_heard_as_soon_as_the_turn_is_over() -> None:
    ran = await run(caller((320, 1600), total_ms=5000), ends=[0.6])
    # The first window with 1,400 ms of silence ends at 3,008 and comes with the frame to 3,020.
    assert ran.at(1, "turn_end") == 3020.0
    assert ran.at(1, "tts_first_chunk") == 1990.0
    assert ran.first_audio(1) == 3020.0 + 10.0 + DEVICE_MS
    assert ran.replies[0].path == "speculated"


async def test_a_draft_that_the_caller_speaks_over_is_never_heard_and_counts_as_waste() -> None:
    ran = await run(
        caller((320, 1600), (2208, 3008), total_ms=6000), ears=["one two", "one two three"], ends=[0.6]
    )
    assert [r.heard for r in ran.replies] == ["one two three"]
    assert ran.first_audio(1) is None
    assert ran.recorder.records[1].generated == 4
    assert ran.recorder.records[1].audio_s == pytest.approx(0.41)
    assert len(ran.recorder.playback.of(2).spans) == 1


async def test_a_caller_who_goes_on_before_the_reply_gets_one_reply_to_all_words() -> None:
    audio = caller((320, 1600), (1900, 3008), total_ms=6000)
    ran = await run(audio, ears=["I want to", "I want to go home"])
    assert [r.heard for r in ran.replies] == ["I want to", "I want to go home"]
    assert ran.replies[0].withdrawn_why == "reopened"
    assert ran.first_audio(1) is None
    assert ran.first_audio(2) is not None
    assert ran.seat.asked[-1] == [
        {"role": "system", "content": "rules"},
        {"role": "user", "content": "I want to go home"},
    ]


async def test_nothing_of_a_cancelled_reply_is_written_after_the_cancel() -> None:
    long = ScriptedSeat(answer=lambda text: "one two three four five six seven eight nine ten " * 6 + ".")
    audio = caller((320, 1600), (5000, 6016), total_ms=9000)
    ran = await run(audio, ears=["tell me", "stop"], seat=long)
    first, second = ran.replies
    assert first.withdrawn_why == "barge_in"
    assert first.withdrawn_ms is not None
    cut = first.withdrawn_ms - ran.recorder.origin_ms
    assert 5192.0 <= cut <= 5240.0
    spans = ran.recorder.playback.of(1).spans
    # What the device had been given plays out: one block in hand, one under way, and the device's own buffer.
    assert spans[-1][1] - ran.recorder.origin_ms <= cut + 2 * 20.0 + DEVICE_MS
    assert second.heard == "stop"


async def test_history_holds_what_was_heard_of_an_interrupted_reply() -> None:
    long = ScriptedSeat(
        answer=lambda text: "First sentence here. " + "word " * 40 + ". Last sentence never heard."
    )
    audio = caller((320, 1600), (5000, 6016), total_ms=9000)
    ran = await run(audio, ears=["tell me", "stop"], seat=long)
    said = ran.seat.asked[-1][2]
    assert said["role"] == "assistant"
    assert said["content"].startswith("First sentence here.")
    assert "never heard" not in said["content"]


async def test_twenty_barge_ins_get_twenty_answers_and_leak_no_task_or_thread() -> None:
    threads = threading.active_count()
    long = ScriptedSeat(answer=lambda text: "one two three four five six seven eight nine ten " * 6 + ".")
    spans = [(320 + 5000 * k, 1600 + 5000 * k) for k in range(21)]
    ran = await run(caller(*spans, total_ms=106_000), ears=["go on"], seat=long)
    assert len(ran.replies) == 21
    assert [r.withdrawn_why for r in ran.replies[:20]] == ["barge_in"] * 20
    assert all(ran.first_audio(r.reply) is not None for r in ran.replies)
    assert len([t for t in asyncio.all_tasks() if t is not asyncio.current_task()]) == 0
    assert threading.active_count() <= threads + 1  # pytest's loop may keep one of its own


async def test_noise_makes_no_reply() -> None:
    noise = Transcript("", rejected="no speech")
    ran = await run(caller((320, 3008), total_ms=6000), ears=[noise])
    assert ran.replies == []
    assert [d.why for d in ran.recorder.dropped] == ["no speech"]
    assert ran.seat.asked == []


async def test_a_recogniser_that_breaks_is_survived_and_the_caller_is_asked_again() -> None:
    broken = EnvironmentFault("asr.broken", "The recogniser broke.")
    ran = await run(caller((320, 1600), (5000, 6016), total_ms=9000), ears=[broken, "hello"])
    assert [r.said for r in ran.replies] == [["Please say that again."], ["You said hello"]]
    assert "The recogniser broke" in ran.recorder.failures[0]


async def test_a_seat_that_says_nothing_gets_the_safe_sentence() -> None:
    ran = await run(caller((320, 1600), total_ms=4000), seat=ScriptedSeat(answer=lambda text: ""))
    assert ran.replies[0].said == ["I do not know that."]
    assert ran.first_audio(1) is not None


async def test_a_seat_that_breaks_gets_the_safe_sentence() -> None:
    def broken(text: str) -> str:
        raise EnvironmentFault("seat.decode", "The model broke.")

    ran = await run(caller((320, 1600), total_ms=4000), seat=ScriptedSeat(answer=broken))
    assert ran.replies[0].said == ["I do not know that."]
    assert "The model broke" in ran.recorder.failures[0]


async def test_a_fact_that_answers_is_said_and_no_model_is_asked() -> None:
    facts = FactFit(FactIndex(["We open at nine.", "Parking is free."]), {"score": 1.0})
    ready = ReadyReplies(facts, None, Sureness(fact=0.6))
    audio = caller((320, 1600), (5000, 6016), total_ms=9000)
    ran = await run(audio, ears=["when do you open", "hello"], ready=ready)
    assert [" ".join(r.said) for r in ran.replies] == ["We open at nine.", "You said hello"]
    assert ran.replies[0].path == "cached"
    assert len(ran.seat.asked) == 1
    assert ran.recorder.playback.of(1).first_content_ms is not None


async def test_thinking_is_never_spoken() -> None:
    seat = ScriptedSeat(answer=lambda text: "<think> They greet me. </think> Good morning to you.")
    ran = await run(caller((320, 1600), total_ms=5000), seat=seat)
    assert ran.replies[0].said == ["Good morning to you."]


async def test_a_piece_that_cannot_be_spoken_does_not_stop_the_rest() -> None:
    answer = ScriptedSeat(answer=lambda text: "First part is fine. Broken part here. And the rest plays.")
    ran = await run(caller((320, 1600), total_ms=8000), seat=answer, voice=ToneVoice(fails_on="Broken"))
    heard = [p.text for p in ran.recorder.playback.of(1).pieces]
    assert heard[0] == "First part is fine."
    assert "rest plays" in heard[-1]
    assert ran.replies[0].withdrawn_ms is None or ran.replies[0].withdrawn_why == "the call ended"


async def test_the_language_model_is_asked_about_the_words_after_what_the_agent_said() -> None:
    words = FakeTextEnd([0.01])
    audio = caller((320, 1600), (6000, 7000), total_ms=10_000)
    await run(audio, ears=["hello", "goodbye"], ends=[0.6], by_words=words)
    assert words.asked == [("", "hello"), ("You said hello", "goodbye")]


async def test_without_the_language_models_answer_the_turn_ends_all_the_same() -> None:
    broken = FakeTextEnd([EnvironmentFault("seat.decode", "No answer.", "")])
    ran = await run(caller((320, 1600), total_ms=5000), ends=[0.6], by_words=broken)
    assert [r.heard for r in ran.replies] == ["hello"]
    assert any("turn end by the words" in failure for failure in ran.recorder.failures)
