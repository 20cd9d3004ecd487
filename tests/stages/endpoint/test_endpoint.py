from __future__ import annotations

import numpy as np
import pytest

import stages.endpoint as package
from stages.endpoint.config import VadConfig
from stages.endpoint.mel import SAMPLES, last_seconds, log_mel
from stages.endpoint.silero import SileroVad
from stages.endpoint.smart_turn import SmartTurn
from stages.errors import EnvironmentFault, InputError
from stages.onnx import bundled, open_session


def buzz(seconds: float, seed: int = 0) -> np.ndarray:
    """A voice-like sound: a 120 Hz buzz with formants, and a little noise."""
    rng = np.random.default_rng(seed)
    at = np.arange(int(seconds * 16_000)) / 16_000
    tone = sum(np.sin(2 * np.pi * 120 * k * at) / k for k in range(1, 25))
    return (0.1 * tone * (1 + np.sin(2 * np.pi * 4 * at)) + 0.005 * rng.standard_normal(at.size)).astype(
        np.float32
    )


def test_short_turns_get_zeros_in_front_and_long_ones_keep_their_end():
    short = np.array([1, 2, 3], dtype=np.float32)
    assert last_seconds(short)[-4:].tolist() == [0, 1, 2, 3]
    long = np.arange(SAMPLES + 5, dtype=np.float32)
    assert last_seconds(long)[0] == 5
    assert last_seconds(np.zeros(0, dtype=np.float32)).shape == (SAMPLES,)


def test_features_equal_those_of_pipecat():
    theirs = pytest.importorskip("pipecat.audio.turn.smart_turn._whisper_features")
    for seed, seconds in [(1, 0.3), (2, 3.0), (3, 9.0)]:
        audio = last_seconds(buzz(seconds, seed))
        assert np.abs(log_mel(audio) - theirs.compute_whisper_log_mel_features(audio)).max() < 1e-6


def test_voice_activity_equals_that_of_pipecat():
    theirs = pytest.importorskip("pipecat.audio.vad.silero").SileroOnnxModel(
        str(bundled("audio/vad/data/silero_vad.onnx"))
    )
    ours = SileroVad(VadConfig(reset_after_s=0))
    windows = buzz(3.2).reshape(-1, 512)
    assert [ours.probability(w) for w in windows] == [theirs(w, 16_000)[0].item() for w in windows]


def test_turn_end_equals_that_of_pipecat():
    module = pytest.importorskip("pipecat.audio.turn.smart_turn.local_smart_turn_v3")
    theirs, ours = module.LocalSmartTurnAnalyzerV3(), SmartTurn()
    for seconds in (0.2, 2.0, 10.0):
        turn = buzz(seconds)
        assert ours.probability(turn) == pytest.approx(
            theirs._predict_endpoint(turn)["probability"], abs=1e-5
        )


def test_reset_makes_a_stream_repeat_itself():
    vad = SileroVad()
    windows = buzz(0.5).reshape(-1)[: 15 * 512].reshape(-1, 512)
    first = [vad.probability(w) for w in windows]
    vad.reset()
    assert [vad.probability(w) for w in windows] == first


def test_state_is_cleared_in_a_long_silence_only():
    silence, cleared = np.zeros(512, dtype=np.float32), SileroVad(VadConfig(reset_after_s=0.64))
    fresh = SileroVad().probability(silence)
    answers = [cleared.probability(silence) for _ in range(41)]
    assert answers[20] == answers[40] == fresh
    assert answers[19] != fresh


def test_a_window_of_another_size_is_refused():
    with pytest.raises(InputError, match="512 samples"):
        SileroVad().probability(np.zeros(480, dtype=np.float32))


def test_missing_and_broken_models_are_named(tmp_path):
    with pytest.raises(EnvironmentFault, match=r"No model file at .*nowhere\.onnx"):
        SileroVad(VadConfig(model_path=tmp_path / "nowhere.onnx"))
    (tmp_path / "odd.onnx").write_bytes(b"not a model")
    with pytest.raises(EnvironmentFault, match=r"odd\.onnx is not a model"):
        open_session(tmp_path / "odd.onnx", threads=1)
    with pytest.raises(EnvironmentFault, match=r"has no file nothing\.onnx"):
        bundled("nothing.onnx")


def test_lines_of_the_package_run(run_lines, capsys):
    run_lines(package)
    assert len(capsys.readouterr().out.split()) == 2
