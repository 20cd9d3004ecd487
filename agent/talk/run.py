"""A talk from the first to the last file: models, devices, the call, its report."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from agent.app import build
from agent.config.load import Loaded
from agent.report.schema import Report, Turn
from agent.report.write import TurnLog, write_report
from agent.stop import stop_on_signal
from agent.talk.call import LiveCall
from agent.talk.recording import CallRecording
from agent.talk.save import WAV, live_report, save_call
from agent.talk.view import TalkView
from agent.transports.echo import guard_for
from agent.transports.microphone import Devices
from agent.transports.sound_card import SoundCard


@dataclass(frozen=True)
class TalkPlan:
    """What a person asked for. ``record`` is the folder to keep the call in, None for nothing."""

    devices: Devices
    headphones: bool
    record: Path | None
    seconds: float | None = None


async def talk(
    plan: TalkPlan,
    loaded: Loaded,
    card: SoundCard,
    make_view: Callable[[], TalkView],
    say: Callable[[str], None],
) -> Report:
    """Hold one conversation. Raises AgentError for devices or models that are missing."""
    say("Loading the models ...")
    session = await build(loaded, say)
    started = datetime.now(UTC)
    name = plan.record.resolve().name if plan.record else "talk"
    rows: list[Turn] = []
    settings = loaded.config.talk
    with ExitStack() as stack:
        stack.callback(session.close)
        stop = stack.enter_context(stop_on_signal())
        recording = log = None
        if plan.record is not None:
            recording = CallRecording(plan.record / WAV)
            stack.callback(recording.close)
            log = stack.enter_context(TurnLog(plan.record / "turns.jsonl"))
        guard, echo = guard_for(
            settings.echo, headphones=plan.headphones, tail_ms=settings.half_duplex_tail_ms
        )
        view = make_view()
        stack.callback(view.close)

        def on_row(row: Turn) -> None:
            rows.append(row)
            if log:
                log.append(row)
            view.turn(row)

        call = LiveCall(session, card, plan.devices, guard, view, recording, on_row, name)
        heard_by, played_by = call.transport.device_names
        say(f"Microphone: {heard_by}. Loudspeaker: {played_by}. Echo: {echo}. Speak when you like.")
        if plan.seconds is not None:
            asyncio.get_running_loop().call_later(plan.seconds, stop.set)
        result = await call.run(stop)
    report = live_report(result, rows, loaded, started)
    if plan.record is not None:
        write_report(report, plan.record / "report.json")
        save_call(result, plan.record)
    return report
