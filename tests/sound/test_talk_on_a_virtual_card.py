"""`talk` as a person runs it, on a sound card made of PulseAudio, judged by what can be heard outside."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agent.calls.load import load_call
from agent.calls.make import default_voices, make_call
from stages.audio.write import write_wav
from stages.contract import RATE_HZ
from tools import talk_barge_in
from tools.talk_outside import compare, play_and_talk
from tools.virtual_sound import PACKAGES, missing, virtual_sound

pytestmark = [
    pytest.mark.sound,
    pytest.mark.models,
    pytest.mark.skipif(bool(missing()), reason=f"no PulseAudio: apt-get install {PACKAGES}"),
]

SCRIPT = """\
name: heard
seed: 4
lead_in_s: 1.0
tail_s: 1.0
noise: {kind: white, snr_db: 30}
lines:
  - caller: When are you open on Saturdays?
  - caller: And where is your branch?
    gap_s: 6.0
  - caller: How long does a replacement card take?
    gap_s: 6.0
"""
NO_ECHO = ["--set", "talk.echo=none"]
"""The card has no echo path, as with headphones."""

CERTAIN_MS = 192.0 + 32.0
"""Unbroken voice that stops a reply (`endpoint.barge_in_ms`), and the window that it ends in."""


def test_what_is_measured_outside_is_what_talk_reports(tmp_path: Path) -> None:
    """Every turn is answered; both measures agree within 20 ms; the kept call replays."""
    script = tmp_path / "heard.yaml"
    script.write_text(SCRIPT)
    make_call(script, tmp_path / "heard", default_voices(4))
    call = load_call(tmp_path / "heard.call.json")
    with virtual_sound() as card:
        heard, report = play_and_talk(card, call, tmp_path, ["--set", "talk.greet=false"])
    turns = compare(call, heard, report)
    assert len(turns) == 3
    for turn in turns:
        assert turn.outside_ms is not None
        assert turn.reported_ms is not None
        assert abs(turn.outside_ms - turn.reported_ms) <= 20.0, turns
    assert report["replay"]["mode"] == "live"
    kept = load_call(tmp_path / "talk" / "talk.call.json")
    assert len(kept.turns) == 3
    assert kept.agent is not None


def test_a_caller_who_interrupts_is_heard_out_and_answered(tmp_path: Path) -> None:
    """The reply is silent 150 ms after the interruption is certain; what was asked over it is answered."""
    found = talk_barge_in.run(tmp_path, 3, None, NO_ECHO)
    cuts: list[dict[str, object]] = found["cuts"]  # type: ignore[assignment]
    assert len(cuts) == 3
    assert all(cut["answered"] for cut in cuts)
    silent = [cut["silent_ms"] for cut in cuts]
    assert all(isinstance(ms, float) and ms <= CERTAIN_MS + 150.0 for ms in silent), silent


def test_clicks_do_not_stop_a_reply(tmp_path: Path) -> None:
    """Keys that are struck over a reply change nothing about it."""
    rng = np.random.default_rng(8)
    clicks = np.zeros(RATE_HZ * 2, dtype=np.float32)
    for at in range(1000, len(clicks) - 400, RATE_HZ // 5):
        clicks[at : at + 300] = rng.normal(0.0, 0.2, 300) * np.linspace(1.0, 0.0, 300)
    write_wav(tmp_path / "keys.wav", clicks, RATE_HZ)
    found = talk_barge_in.run(tmp_path, 2, tmp_path / "keys.wav", NO_ECHO)
    cuts: list[dict[str, object]] = found["cuts"]  # type: ignore[assignment]
    assert len(cuts) == 2
    report = (tmp_path / "talk" / "report.json").read_text()
    assert '"interrupted": true' not in report
