"""``main.py talk --check``: says what was measured and what it means."""

from __future__ import annotations

import asyncio

import numpy as np
from rich.console import Console

from agent.talk.check import CHIRPS, CheckResult, check
from agent.talk.devices import Remembered, memory_path, remember
from agent.transports.microphone import Devices
from agent.transports.sound_card import SoundCard

DEAD_DBFS = -90.0
NOISY_DBFS = -40.0
CLIPPED_DBFS = -0.5


def run_check(card: SoundCard, chosen: Remembered) -> None:
    """Measure, tell, and remember whether there are headphones."""
    console = Console()
    console.print("Listening, then a tone and five chirps. Please be quiet for seven seconds.")
    result = asyncio.run(check(card, Devices(chosen.input, chosen.output)))
    for line in lines(result):
        console.print(line, highlight=False)
    remember(memory_path(), chosen.model_copy(update={"headphones": result.headphones}))


def lines(result: CheckResult) -> list[str]:
    """The result in words."""
    told = [f"Microphone: {result.noise_dbfs:.0f} dBFS when it is quiet{_microphone(result)}."]
    told.append(
        f"Loudspeaker: {result.output_buffer_ms:.0f} ms from hand-over to sound, {result.underflows} underruns; "
        f"microphone: {result.input_delay_ms:.0f} ms from sound to hand-over."
    )
    if result.headphones:
        told.append(
            "Headphones: the microphone does not hear the loudspeaker. Echo removal is off for talks."
        )
        return told
    delays = [echo.delay_ms for echo in result.echoes]
    gain = float(np.median([echo.gain_db for echo in result.echoes]))
    told.append(
        f"Loudspeaker in the room: {len(result.echoes)} of {CHIRPS} chirps came back, {gain:.0f} dB, "
        f"{np.median(delays):.0f} ms after they sounded ({min(delays):.0f} to {max(delays):.0f}). "
        "Echo removal is on for talks."
    )
    total = float(np.median(delays)) + result.output_buffer_ms + result.input_delay_ms
    told.append(f"Round trip: {total:.0f} ms.")
    return told


def _microphone(result: CheckResult) -> str:
    if result.noise_dbfs <= DEAD_DBFS and not result.echoes:
        return ": digital silence, is it muted"
    if result.loudest_dbfs >= CLIPPED_DBFS:
        return ": the chirps clip, turn the microphone or the loudspeaker down"
    return ": a noisy room, or too much gain" if result.noise_dbfs > NOISY_DBFS else ", fine"
