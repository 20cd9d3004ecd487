"""Runs one call through the pipeline, in real time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from pipecat.workers.runner import WorkerRunner

from agent.app import Session
from agent.clock import now_ms, unix_ms
from agent.pipeline import Call
from agent.playback import Playback
from agent.recorder import Recorder
from agent.replay.live import LiveRows
from agent.replay.plan import ReplayPlan
from agent.replay.stereo import both_voices
from agent.report.schema import Turn, UnmatchedRow
from agent.transports.recording import RecordedInput, RecordingTransport
from stages.contract import Audio

TICK_S = 0.05
LONGEST_TAIL_S = 30.0
"""No reply is waited for longer than this after the recording has ended."""


@dataclass(frozen=True)
class RunResult:
    """What one call gave besides its rows. ``heard`` is stereo at the voice's rate: caller left, agent right."""

    recorder: Recorder
    unmatched: list[UnmatchedRow]
    heard: Audio
    rate_hz: int
    finished: bool


async def run_call(
    session: Session,
    plan: ReplayPlan,
    on_row: Callable[[Turn], None],
    on_position: Callable[[float], None],
    stop: asyncio.Event,
) -> RunResult:
    """Feed ``plan`` to a fresh pipeline until its last turn is closed, or until ``stop`` is set."""
    config = session.config
    playback = Playback(session.engines.voice.rate_hz, config.replay.device_latency_ms)
    recorder = Recorder(playback)

    def written(row: Turn) -> None:
        on_row(row)
        session.telemetry.turn(row, unix_ms(recorder.origin_ms))

    rows = LiveRows(plan.name, plan.turns, recorder, config.budget, written)

    def origin(at_ms: float) -> None:
        recorder.origin_ms = at_ms

    transport = RecordingTransport(plan.caller, playback, origin)
    call = session.call(transport, session.dialogue(plan.agent_lines), recorder)
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(call.worker)
    running = asyncio.create_task(runner.run())
    finished = await _follow(call, transport.input(), rows, on_position, stop, running, config.replay.tail_s)
    await call.worker.cancel()
    await running
    recorder.close_all(now_ms())
    if finished:
        unmatched = rows.finish()
    else:
        rows.stop(transport.input().position_ms)
        unmatched = []
    session.telemetry.over(plan.name, unmatched)
    blocks = [(at - recorder.origin_ms, block) for at, block in playback.written]
    heard = both_voices(plan.caller, blocks, playback.rate_hz)
    return RunResult(recorder, unmatched, heard, playback.rate_hz, finished)


async def _follow(
    call: Call,
    source: RecordedInput,
    rows: LiveRows,
    on_position: Callable[[float], None],
    stop: asyncio.Event,
    running: asyncio.Task[None],
    tail_s: float,
) -> bool:
    """Watch the call until it is over; False if it was broken off."""
    quiet_s = tail = 0.0
    while not stop.is_set():
        await asyncio.sleep(TICK_S)
        rows.update(source.position_ms)
        on_position(source.position_ms)
        if running.done():
            return False
        if source.recording_over.is_set():
            tail += TICK_S
            quiet_s = quiet_s + TICK_S if call.turns.idle else 0.0
            if quiet_s >= tail_s or tail >= LONGEST_TAIL_S:
                return True
    return False
