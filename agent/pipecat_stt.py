"""Any of pipecat's segmented recognition services as our recogniser, by ``asr.engine: pipecat``.

Budgie reads a turn in stretches of its own choosing (partials, the pause, the turn's end), so what it needs of a
service is one call: audio in, words out. pipecat's segmented services have it, local ones and those of cloud
providers. Its streaming services decide themselves when words come, and do not fit.
"""

from __future__ import annotations

import asyncio
import io
import os
import threading
import wave
from collections.abc import Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from importlib import import_module
from typing import Any

from pipecat.frames.frames import ErrorFrame, TranscriptionFrame
from pipecat.services.stt_service import SegmentedSTTService

from agent.config.staged import RecognitionConfig
from agent.errors import AgentError
from stages.audio.write import to_int16
from stages.contract import RATE_HZ, Abort, Audio, Transcript, never
from stages.errors import Aborted, EnvironmentFault

ASK_ABORT_S = 0.01
HINT = "docs/hearing.md shows an example."


class PipecatRecogniser:
    """One service, run on an event loop of its own. As many as ``asr.workers`` may ask at the same time."""

    def __init__(self, config: RecognitionConfig) -> None:
        """Make the service that ``asr.service`` names. Raises AgentError where that cannot be done."""
        made: Any = _class(config.service)
        options = _filled(config.service_options)
        try:
            if config.service_settings:
                options["settings"] = made.Settings(**_filled(config.service_settings))
            self._service: SegmentedSTTService = made(sample_rate=RATE_HZ, **options)
        except Exception as error:  # whatever a service raises of wrong options
            raise AgentError(
                "asr.service", f"asr.service: {config.service} cannot be made: {error}", HINT
            ) from error
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="pipecat-stt", daemon=True).start()

    def transcribe(self, audio: Audio, *, abort: Abort = never) -> Transcript:
        """Read ``audio`` (float32 mono, 16 kHz) once. Raises Aborted; EnvironmentFault when the service fails."""
        asked: Future[str] = asyncio.run_coroutine_threadsafe(
            self._ask(_bytes(audio, self._service)), self._loop
        )
        while True:
            if abort():
                asked.cancel()
                raise Aborted
            try:
                return Transcript(asked.result(ASK_ABORT_S))
            except NotYet:
                continue

    async def _ask(self, segment: bytes) -> str:
        said: list[str] = []
        async for frame in self._service.run_stt(segment):
            if isinstance(frame, ErrorFrame):
                raise EnvironmentFault("asr.failed", f"{type(self._service).__name__}: {frame.error}.")
            if isinstance(frame, TranscriptionFrame):
                said.append(frame.text)
        return " ".join(said).strip()


def _class(name: str | None) -> type[SegmentedSTTService]:
    if name is None:
        raise AgentError("asr.service", "asr.engine: pipecat needs asr.service.", HINT)
    module, _, attribute = name.partition(":")
    try:
        found = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise AgentError("asr.service", f"asr.service: {name} cannot be imported: {error}.", HINT) from error
    except (
        Exception
    ) as error:  # pipecat's modules raise a bare Exception where a package of theirs is missing
        raise AgentError("asr.service", f"asr.service: {name} cannot be imported: {error}", HINT) from error
    if not (isinstance(found, type) and issubclass(found, SegmentedSTTService)):
        raise AgentError("asr.service", f"asr.service: {name} is no segmented service of pipecat.", HINT)
    return found


def _filled(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options with ``$NAME`` replaced by that environment variable: a key does not belong into a file."""
    return {name: _from_environment(name, value) for name, value in options.items()}


def _from_environment(name: str, value: Any) -> Any:
    if not (isinstance(value, str) and value.startswith("$")):
        return value
    try:
        return os.environ[value[1:]]
    except KeyError:
        raise AgentError(
            "asr.service",
            f"{name}: the environment has no {value[1:]}.",
            f"Set it: export {value[1:]}=...",
            3,
        ) from None


def _bytes(audio: Audio, service: SegmentedSTTService) -> bytes:
    pcm = to_int16(audio).tobytes()
    if not service.wants_wav_segments:
        return pcm
    whole = io.BytesIO()
    with wave.open(whole, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE_HZ)
        file.writeframes(pcm)
    return whole.getvalue()
