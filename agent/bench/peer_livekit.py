"""LiveKit Agents on the recorded call, without a room or an account: its session and its own local models.

    PEERS_PYTHON -m agent.bench.peer_livekit JOB.json

Its voice activity and its turn detector are the ones that its package carries. It has no local recognition or
synthesis of its own, so faster-whisper and piper are put into its plug-in classes as their documentation shows; it
wraps both for streaming itself.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from faster_whisper import WhisperModel
from livekit import rtc
from livekit.agents import Agent, AgentSession, inference, stt, tts, utils
from livekit.agents.voice import io
from livekit.plugins import openai
from piper import PiperVoice

from agent.bench.peer_log import LONGEST_TAIL_S, TAIL_QUIET_S, Job, PlayLog, read_job

IN_HZ = 16_000
FRAME_MS = 20
TICK_S = 0.05


def now_ms() -> float:
    """Milliseconds on the running loop's monotonic clock."""
    return asyncio.get_running_loop().time() * 1000.0


class WhisperPlugin(stt.STT):  # type: ignore[misc]
    """faster-whisper's own ``transcribe()``."""

    def __init__(self, folder: Path) -> None:
        super().__init__(capabilities=stt.STTCapabilities(streaming=False, interim_results=False))
        self._whisper = WhisperModel(str(folder), device="cpu", compute_type="int8")

    def text(self, samples: Any) -> str:
        """The words of float32 samples at 16 kHz."""
        return "".join(part.text for part in self._whisper.transcribe(samples, language="en")[0]).strip()

    async def _recognize_impl(self, buffer: Any, *, language: Any, conn_options: Any) -> Any:
        frame = rtc.combine_audio_frames(buffer)
        samples = np.frombuffer(frame.data, np.int16).astype(np.float32) / 32768.0
        if frame.sample_rate != IN_HZ:
            raise ValueError(f"the session hands over {frame.sample_rate} Hz, not {IN_HZ}")
        words = await asyncio.to_thread(self.text, samples)
        return stt.SpeechEvent(
            type=stt.SpeechEventType.FINAL_TRANSCRIPT,
            alternatives=[stt.SpeechData(text=words, language="en")],
        )


class PiperPlugin(tts.TTS):  # type: ignore[misc]
    """piper's own ``synthesize()``, a sentence at a time."""

    def __init__(self, path: Path, said: list[tuple[str, int]]) -> None:
        self.voice = PiperVoice.load(path)
        self.said = said
        rate = self.voice.config.sample_rate
        super().__init__(capabilities=tts.TTSCapabilities(streaming=False), sample_rate=rate, num_channels=1)

    def synthesize(self, text: str, *, conn_options: Any = None) -> Any:
        """A stream of the audio of ``text``."""
        return PiperStream(tts=self, input_text=text, conn_options=conn_options)


class PiperStream(tts.ChunkedStream):  # type: ignore[misc]
    """One sentence."""

    async def _run(self, output_emitter: Any) -> None:
        plugin: PiperPlugin = self._tts
        output_emitter.initialize(
            request_id=utils.shortuuid(),
            sample_rate=plugin.sample_rate,
            num_channels=1,
            mime_type="audio/pcm",
        )
        chunks = await asyncio.to_thread(lambda: list(plugin.voice.synthesize(self.input_text)))
        plugin.said.append((self.input_text, sum(chunk.audio_int16_array.size for chunk in chunks)))
        for chunk in chunks:
            output_emitter.push(chunk.audio_int16_bytes)
        output_emitter.flush()


class RecordedCaller(io.AudioInput):  # type: ignore[misc]
    """The recording in 20 ms frames on an absolute schedule, then silence."""

    def __init__(self, samples: Any, log: PlayLog) -> None:
        super().__init__(label="recording")
        self._samples, self._log, self._at, self._origin = samples, log, 0, 0.0
        self.over = asyncio.Event()

    async def __anext__(self) -> Any:
        """The next frame, when it is full."""
        if not self._at:
            self._origin = now_ms()
            self._log.origin(self._origin)
        step = IN_HZ * FRAME_MS // 1000
        wait = self._origin + (self._at + 1) * FRAME_MS - now_ms()
        await asyncio.sleep(max(0.0, wait) / 1000.0)
        block = self._samples[self._at * step : (self._at + 1) * step]
        if block.size < step:
            self.over.set()
            block = np.pad(block, (0, step - block.size))
        self._at += 1
        return rtc.AudioFrame(block.tobytes(), IN_HZ, 1, step)


class PacedSpeaker(io.AudioOutput):  # type: ignore[misc]
    """Plays at the pace of a sound card, can pause, and writes down what leaves."""

    def __init__(self, rate_hz: int, log: PlayLog, said: list[tuple[str, int]]) -> None:
        super().__init__(
            label="speaker", capabilities=io.AudioOutputCapabilities(pause=True), sample_rate=rate_hz
        )
        self._rate, self._log, self._said = rate_hz, log, said
        self._queue = bytearray()
        self._wake, self._running = asyncio.Event(), asyncio.Event()
        self._running.set()
        self._played = self._left = 0
        self._flushed = False
        self._task = asyncio.create_task(self._play())

    async def capture_frame(self, frame: Any) -> None:
        """Take audio, faster than it plays."""
        await super().capture_frame(frame)
        self._flushed = False
        self._queue += bytes(frame.data)
        self._wake.set()

    def flush(self) -> None:
        """The reply is complete."""
        super().flush()
        self._flushed = True
        self._wake.set()

    def clear_buffer(self) -> None:
        """Stop at once."""
        if self._queue or self._played:
            if self._played:
                self._log.cut(now_ms())
            self._end(interrupted=True)

    def pause(self) -> None:
        """Hold the audio back."""
        super().pause()
        self._running.clear()

    def resume(self) -> None:
        """Go on."""
        super().resume()
        self._running.set()
        self._wake.set()

    async def _play(self) -> None:
        due, step = 0.0, self._rate * FRAME_MS // 1000 * 2
        while True:
            await self._wake.wait()
            await self._running.wait()
            if not self._queue:
                self._wake.clear()
                if self._flushed and self._played:
                    await asyncio.sleep(max(0.0, due - now_ms()) / 1000.0)
                    if not self._queue and self._played:
                        self._end(interrupted=False)
                continue
            await asyncio.sleep(max(0.0, due - FRAME_MS - now_ms()) / 1000.0)
            block = bytes(self._queue[:step])
            if not block or not self._running.is_set():
                continue
            del self._queue[:step]
            starts = max(now_ms(), due)
            due = starts + len(block) / 2 / self._rate * 1000.0
            self._write(starts, block)

    def _write(self, at_ms: float, block: bytes) -> None:
        if not self._played:
            self.on_playback_started(created_at=time.time())
            self._left = 0
        if self._left <= 0 and self._said:
            text, self._left = self._said.pop(0)
            self._log.piece(at_ms, text)
        self._left -= len(block) // 2
        self._played += len(block) // 2
        self._log.audio(at_ms, block)

    def _end(self, *, interrupted: bool) -> None:
        played, self._played = self._played, 0
        self._queue.clear()
        if interrupted:
            self._said.clear()
        self._flushed = False
        self._running.set()
        self.on_playback_finished(playback_position=played / self._rate, interrupted=interrupted)


async def run(job: Job) -> None:
    """One call, from its first frame until nothing more is said."""
    said: list[tuple[str, int]] = []
    ears, mouth = WhisperPlugin(job.whisper), PiperPlugin(job.voice, said)
    log = PlayLog(job.out, mouth.sample_rate)
    caller = RecordedCaller(np.fromfile(job.caller, np.int16), log)
    model = openai.LLM(
        model="local",
        base_url=job.server,
        api_key="none",
        temperature=0.0,
        max_completion_tokens=job.max_tokens,
    )
    await asyncio.to_thread(ears.text, np.zeros(IN_HZ, np.float32))
    await asyncio.to_thread(lambda: list(mouth.voice.synthesize("Good morning.")))
    session: Any = AgentSession(
        stt=ears,
        llm=model,
        tts=mouth,
        vad=inference.VAD(),
        turn_handling={"turn_detection": inference.TurnDetector(version="v1-mini")},
        user_away_timeout=None,
    )
    session.input.audio = caller
    session.output.audio = PacedSpeaker(mouth.sample_rate, log, said)

    @session.on("conversation_item_added")  # type: ignore[untyped-decorator]
    def _added(event: Any) -> None:
        if getattr(event.item, "role", "") == "user":  # a hand-off has none
            log.turn_end(now_ms(), event.item.text_content or "")

    await session.start(Agent(instructions=job.prompt), record=False)
    tail = 0.0
    while tail < LONGEST_TAIL_S:
        await asyncio.sleep(TICK_S)
        if caller.over.is_set():
            tail += TICK_S
            if tail >= TAIL_QUIET_S and now_ms() - log.last_ms >= TAIL_QUIET_S * 1000.0:
                break
    log.close()
    await session.aclose()


if __name__ == "__main__":
    asyncio.run(run(read_job(Path(sys.argv[1]))))
