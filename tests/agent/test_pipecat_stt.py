"""A service of pipecat as our recogniser: words, errors, aborts, keys."""

from __future__ import annotations

import asyncio
import io
import wave
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pipecat.frames.frames import ErrorFrame, Frame, TranscriptionFrame
from pipecat.services.settings import STTSettings
from pipecat.services.stt_service import SegmentedSTTService

from agent.config.staged import RecognitionConfig
from agent.errors import AgentError
from agent.models.store import Store
from agent.pipecat_stt import PipecatRecogniser
from stages.audio.read import read_audio
from stages.contract import Audio
from stages.errors import Aborted, EnvironmentFault

SECOND: Audio = np.full(16_000, 0.25, dtype=np.float32)


class Scripted(SegmentedSTTService):
    """Says how much it heard, and with which key."""

    Settings = STTSettings

    def __init__(self, key: str = "", sample_rate: int | None = None) -> None:
        super().__init__(settings=STTSettings(model=None, language=None), sample_rate=sample_rate)
        self.key = key

    async def run_stt(self, audio: bytes) -> AsyncGenerator[Frame | None, None]:
        if self.key == "slow":
            await asyncio.sleep(60)
        if self.key == "broken":
            yield ErrorFrame("no quota")
            return
        with wave.open(io.BytesIO(audio)) as file:
            heard = file.getnframes() / file.getframerate()
        yield None
        yield TranscriptionFrame(f"{heard:g} seconds", "", "")
        yield TranscriptionFrame(f"for {self.key}", "", "")


def made(**options: str) -> PipecatRecogniser:
    service = f"{__name__}:Scripted"
    return PipecatRecogniser(RecognitionConfig(engine="pipecat", service=service, service_options=options))


def test_a_segment_goes_in_and_its_words_come_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_KEY", "secret")
    assert made(key="$TEST_KEY").transcribe(SECOND).text == "1 seconds for secret"


def test_what_the_service_reports_is_a_fault() -> None:
    with pytest.raises(EnvironmentFault, match="Scripted: no quota"):
        made(key="broken").transcribe(SECOND)


def test_an_abort_is_heard_while_the_service_works() -> None:
    asked = iter([False, False, True])
    with pytest.raises(Aborted):
        made(key="slow").transcribe(SECOND, abort=lambda: next(asked))


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({}, "needs asr.service"),
        ({"service": "no.such:Thing"}, "cannot be imported"),
        ({"service": "pathlib:Path"}, "no segmented service"),
        ({"service": f"{__name__}:Scripted", "service_options": {"colour": "red"}}, "cannot be made"),
        ({"service": f"{__name__}:Scripted", "service_options": {"key": "$NOT_THERE"}}, "has no NOT_THERE"),
    ],
)
def test_what_cannot_be_had_is_named(config: dict[str, Any], said: str) -> None:
    with pytest.raises(AgentError, match=said):
        PipecatRecogniser(RecognitionConfig(engine="pipecat", **config))


@pytest.mark.models
@pytest.mark.calls
def test_pipecats_own_whisper_reads_what_ours_reads(calls_dir: Path) -> None:
    config = RecognitionConfig(
        engine="pipecat",
        service="pipecat.services.whisper.stt:WhisperSTTService",
        service_options={"compute_type": "int8", "device": "cpu"},
        service_settings={"model": str(Store().path("whisper-base"))},
    )
    audio = read_audio(calls_dir / "utterances" / "cognitive-serv_whatstheweatherlike.wav").samples
    assert "weather" in PipecatRecogniser(config).transcribe(audio).text.lower()
