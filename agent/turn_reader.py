"""Writes a caller's turn down while it is spoken: partials at a pace, the final text at each pause.

A reading that already heard the last voiced window is taken for the final one, also while it still runs. Readings run
in lanes, so that a final text does not wait for a partial that came too early; a lane that hangs is left behind.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

import numpy as np

from agent.audio_history import AudioHistory
from agent.clock import now_ms
from agent.compute import Compute, Job, Priority
from agent.frames import HeardFrame, PartialFrame
from agent.pace import Pace
from agent.reading import SHARED_MS, TAIL_MS, Reading, Stretch
from agent.recorder import Recorder
from stages.asr.agreement import Agreement
from stages.audio.level import levels
from stages.contract import RATE_HZ, WINDOW_SAMPLES, Audio, Recogniser, Transcript
from stages.errors import Aborted

WINDOW_MS = WINDOW_SAMPLES * 1000.0 / RATE_HZ

Push = Callable[[HeardFrame | PartialFrame], Coroutine[Any, Any, None]]
Spawn = Callable[[Coroutine[Any, Any, None], str], object]


@dataclass(frozen=True, slots=True)
class ReadingPlan:
    """How turns are read. ``partial_every_ms`` of 0 makes no partials; ``lanes``: readings at the same time."""

    threads: int = 1
    lanes: int = 1
    partial_every_ms: float = 0.0
    partial_share: float = 0.25
    stall_ms: float = 2500.0


@dataclass(eq=False, slots=True)
class _Read:
    """One reading under way. ``final_for``: the last voiced position whose words are awaited, if they are."""

    job: Job[Transcript]
    stretch: Stretch
    final_for: float | None
    cuts: bool = False


class TurnReader:
    """One turn at a time; ``push`` takes its frames, ``spawn`` runs its tasks."""

    def __init__(
        self,
        recogniser: Recogniser,
        audio: AudioHistory,
        compute: Compute,
        recorder: Recorder,
        plan: ReadingPlan,
        push: Push,
        spawn: Spawn,
    ) -> None:
        self._recogniser, self._audio = recogniser, audio
        self._compute, self._recorder, self._plan = compute, recorder, plan
        self._push, self._spawn = push, spawn
        self._pace = Pace(plan.partial_every_ms, plan.partial_share)
        self._reading: Reading | None = None
        self._agreement = Agreement()
        self._read: _Read | None = None
        self._newest: tuple[Stretch, Transcript] | None = None
        self._lanes: list[tuple[Job[Transcript], float] | None] = [None] * plan.lanes
        self._listening = False
        self._broken = False  # a partial of this turn failed: its pauses are still read
        self._voiced_ms = 0.0
        self._silent = False

    def open(self, turn: int, start_ms: float) -> None:
        """A turn began."""
        self._abort()
        self._reading = Reading.of_turn(turn, start_ms)
        self._agreement, self._newest = Agreement(), None
        self._pace = self._pace.started(start_ms)
        self._voiced_ms, self._silent, self._broken = self._audio.end_ms, False, False
        self._listening = True

    def listen(self, on: bool) -> None:
        """The caller's turn is over, or was taken up again."""
        self._listening = on
        if not on and self._read and self._read.final_for is None:
            self._abort()

    def window(self, position_ms: float, voiced: bool) -> None:
        """A voice-activity window ended at ``position_ms``."""
        if self._reading is None:
            return
        if voiced:
            if self._silent:
                self._follow(self._reading.resumed(position_ms - WINDOW_MS, self._voiced_ms))
            self._voiced_ms = position_ms
        else:
            self._follow(self._reading.in_pause(self._voiced_ms, position_ms))
        self._silent = not voiced
        if not self._listening or self._read is not None or position_ms - self._voiced_ms > WINDOW_MS:
            return
        if voiced and self._reading.overdue(position_ms):
            self._start(Priority.FINAL_TEXT, cuts=True)
        elif self._partial_due(position_ms):
            self._start(Priority.PARTIAL)

    def want(self, turn: int, covers_ms: float) -> None:
        """The caller paused at ``covers_ms``: give the words up to there."""
        if self._reading is None or turn != self._reading.turn:
            self._recorder.stale += 1
            return
        self._listening = True
        enough = covers_ms + TAIL_MS
        read, newest = self._read, self._newest
        if read and read.job.started and read.stretch.end_ms >= enough:
            read.final_for = covers_ms
        elif newest and newest[0].start_ms == self._reading.start_ms and newest[0].end_ms >= enough:
            self._spawn(self._final(*newest, covers_ms), f"read-{turn}")
        else:
            self._abort()  # it no longer covers the turn
            self._start(Priority.FINAL_TEXT, final_for=covers_ms)

    # -- reading --------------------------------------------------------------------------------------------------

    def _partial_due(self, position_ms: float) -> bool:
        if self._plan.partial_every_ms <= 0.0 or self._broken:
            return False
        # In the first silent window a reading may become the final one: it is worth being early for.
        ahead_ms = self._pace.wait_ms / 2.0 if self._silent else 0.0
        return self._pace.due(position_ms + ahead_ms) and self._compute.has_room(
            Priority.PARTIAL, self._plan.threads
        )

    def _start(self, priority: Priority, *, final_for: float | None = None, cuts: bool = False) -> None:
        assert self._reading is not None
        stretch = self._reading.stretch(self._audio.end_ms)
        audio = self._audio.slice(stretch.start_ms, stretch.end_ms)
        self._pace = self._pace.started(stretch.end_ms)
        lane = self._free_lane()
        job = self._compute.submit(
            priority,
            lambda grant: self._recogniser.transcribe(audio, abort=grant.aborted),
            threads=self._plan.threads,
            resource=f"asr-{lane}",
        )
        self._lanes[lane] = (job, now_ms())
        self._read = _Read(job, stretch, final_for, cuts)
        self._spawn(self._finish(self._read), f"read-{stretch.turn}")

    def _free_lane(self) -> int:
        """A lane that nothing runs in; else the first, to wait there, unless all of them hang."""
        for lane, used in enumerate(self._lanes):
            if used is None or used[0].done.done():
                return lane
        if all(used and now_ms() - used[1] >= self._plan.stall_ms for used in self._lanes):
            self._recorder.failed(
                f"recognition: no answer in {self._plan.stall_ms:.0f} ms, it is left behind"
            )
            self._lanes.append(None)
            return len(self._lanes) - 1
        return 0

    def _abort(self) -> None:
        if self._read:
            self._read.job.abort()
            self._read = None

    async def _finish(self, read: _Read) -> None:
        began = now_ms()
        try:
            transcript = await read.job.done
        except Aborted:
            return
        except Exception as error:  # noqa: BLE001 - whatever a recogniser raises, the call goes on
            self._recorder.failed(f"recognition: {error}")
            self._broken = True
            transcript = Transcript("")
        finally:
            if self._read is read:
                self._read = None
        self._pace = self._pace.took(now_ms() - began)
        if self._reading is None or read.stretch.turn != self._reading.turn:
            self._recorder.stale += 1
            return
        await self._heard(read, transcript)

    async def _heard(self, read: _Read, transcript: Transcript) -> None:
        assert self._reading is not None
        if read.stretch.start_ms == self._reading.start_ms:
            self._newest = (read.stretch, transcript)
            if transcript.text:
                self._agreement = self._agreement.push(transcript.text)
        if read.cuts:
            quiet = self._quiet_ms(read.stretch.end_ms)
            self._follow(self._reading.cut(read.stretch, transcript.text, quiet))
        if read.final_for is not None:
            await self._final(read.stretch, transcript, read.final_for)
        elif transcript.text and self._listening:
            await self._push(self._partial(read.stretch))

    async def _final(self, stretch: Stretch, transcript: Transcript, covers_ms: float) -> None:
        if self._reading is None or stretch.turn != self._reading.turn:
            self._recorder.stale += 1
            return
        self._reading = self._reading.read(stretch, transcript.text)
        text = self._reading.text
        rejected = transcript.rejected if not text else None
        await self._push(HeardFrame(stretch.turn, covers_ms, text, rejected))

    def _partial(self, stretch: Stretch) -> PartialFrame:
        assert self._reading is not None
        stable = self._reading.with_words(" ".join(self._agreement.stable))
        whole = self._reading.with_words(" ".join((*self._agreement.stable, *self._agreement.open)))
        behind = whole.split()[len(stable.split()) :]
        return PartialFrame(stretch.turn, stretch.end_ms, stable, " ".join(behind))

    def _follow(self, reading: Reading) -> None:
        """Go on with ``reading``; a new stretch has words of its own."""
        if self._reading and reading.start_ms != self._reading.start_ms:
            self._agreement, self._newest = Agreement(), None
        self._reading = reading

    def _quiet_ms(self, end_ms: float) -> float:
        """The quietest 100 ms of the part in which a cut may lie."""
        least, most = SHARED_MS
        return end_ms - most + quietest_ms(self._audio.slice(end_ms - most, end_ms - least))


def quietest_ms(audio: Audio) -> float:
    """Middle of the quietest 100 ms of ``audio`` (16 kHz, at least 100 ms), in ms from its beginning."""
    power = 10.0 ** (levels(audio, RATE_HZ) / 10.0)
    smooth = np.convolve(power, np.full(10, 0.1), mode="valid")
    return float(np.argmin(smooth)) * 10.0 + 50.0
