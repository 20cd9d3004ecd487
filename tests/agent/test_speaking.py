"""Speaking from memory where a phrase is there, else with the voice."""

from __future__ import annotations

import numpy as np

from agent.compute import Priority
from agent.fakes import ScriptedCompute
from agent.playback import Playback
from agent.prepare.phrases import Phrases
from agent.processors.speaking import SpeakingProcessor
from agent.recorder import Recorder
from stages.fakes import FakeVoice

TONE = (0.2 * np.sin(np.arange(4000) / 10.0)).astype(np.float32)


async def test_a_phrase_in_memory_takes_neither_the_voice_nor_a_core() -> None:
    voice, compute, phrases = FakeVoice(), ScriptedCompute({}), Phrases(22_050)
    phrases.add("One moment.", TONE)
    speaking = SpeakingProcessor(voice, compute, Recorder(Playback(22_050, 0.0)), 1, phrases)
    np.testing.assert_array_equal(await speaking._synthesise(" One  moment. ", True), TONE)
    assert (voice.spoken, compute.log) == ([], [])
    await speaking._synthesise("One moment please.", True)
    assert (voice.spoken, compute.log) == (["One moment please."], [Priority.FIRST_SPEECH])
    compute.close()


async def test_without_phrases_everything_is_spoken() -> None:
    voice, compute = FakeVoice(), ScriptedCompute({})
    speaking = SpeakingProcessor(voice, compute, Recorder(Playback(22_050, 0.0)), 1)
    await speaking._synthesise("One moment.", False)
    assert (voice.spoken, compute.log) == (["One moment."], [Priority.SPEECH])
    compute.close()
