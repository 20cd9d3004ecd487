"""Asks the tools themselves: hotato, voicebench and voice-evals, on the recording and the report of a run."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from agent.bench.referees import (
    SAME_SOUND_MS,
    Check,
    Heard,
    agent_spans,
    latencies,
    overlaps,
    talked_over,
    timed,
    yields,
)
from agent.errors import AgentError
from agent.report.schema import Report, Turn
from latency_budget.exchange import Span
from latency_budget.marks import Mark

TOOLS = ("hotato", "voicebench", "voice-evals")
ABOVE_NOISE_DB = 12.0
"""How far above the caller's noise voicebench is told to look for speech: its own -45 dBFS may lie in the noise."""
NEVER_MS = 1e9


def versions() -> dict[str, str]:
    """The tools and their versions. Raises ModuleNotFoundError for one that is not installed."""
    for module in ("hotato", "voicebench", "voice_evals"):
        __import__(module)
    return {tool: version(tool) for tool in TOOLS}


def check_call(report: Report, call: str, recording: Path) -> tuple[list[Check], list[str]]:
    """Every figure that the tools give for one call, and what they were told besides.

    Raises:
        AgentError: the recording is missing or has one channel.
    """
    try:
        sound, rate = soundfile.read(recording, dtype="float32", always_2d=True)
    except (OSError, soundfile.LibsndfileError) as error:
        raise AgentError(
            "bench.recording", f"{recording} cannot be read: {error}.", "Give the folder of a replay."
        ) from error
    if sound.shape[1] != 2:
        raise AgentError(
            "bench.recording", f"{recording} has {sound.shape[1]} channel(s), not the caller's and the agent's.",
            "Give the folder of a replay, as it was written.",
        )  # fmt: skip
    turns = [turn for turn in report.turns if turn.call == call and Mark.SPEECH_END in turn.marks]
    spans = agent_spans(report, call)
    found, threshold = _voicebench(sound, rate, turns, spans)
    found += _hotato(recording, turns, spans)
    found += _voice_evals(turns)
    return found, [f"voicebench: caller's speech from {threshold:.0f} dBFS (default -45)"]


def _voicebench(
    sound: np.ndarray[Any, np.dtype[np.float32]], rate: int, turns: Sequence[Turn], spans: Sequence[Span]
) -> tuple[list[Check], float]:
    """Its ``analyze`` on the recording, told when each turn was said; overlaps from its own segments."""
    from voicebench.metrics import analyze
    from voicebench.runner import SessionRecord, TurnWindow
    from voicebench.scenario import AudioSpec, Scenario, StartRule
    from voicebench.scenario import Turn as Scripted
    from voicebench.vad import Segment, VadConfig

    threshold = max(VadConfig().threshold_db, _noise_dbfs(sound[:, 0], rate) + ABOVE_NOISE_DB)
    script = tuple(
        Scripted(str(turn.turn), AudioSpec(), StartRule(), response_timeout_ms=NEVER_MS) for turn in turns
    )
    scenario = Scenario("replay", script, sample_rate=rate, user_vad=VadConfig(threshold_db=threshold))
    windows = [
        TurnWindow(one, turn.marks[Mark.SPEECH_START] / 1000.0, turn.marks[Mark.SPEECH_END] / 1000.0, "label")
        for one, turn in zip(script, turns, strict=True)
    ]
    caller, agent = np.ascontiguousarray(sound[:, 0]), np.ascontiguousarray(sound[:, 1])
    session = analyze(SessionRecord(scenario, {}, "recording", caller, agent, windows))
    heard, both = {}, {}
    for turn, told, window in zip(turns, session.turns, windows, strict=True):
        end_ms = None if told.user_offset_s is None else told.user_offset_s * 1000.0
        wait = told.response_latency_ms
        heard[turn.turn] = Heard(end_ms, None if end_ms is None or wait is None else end_ms + wait)
        said = Segment(window.start, window.end)
        own = [
            Segment(max(part.start, said.start), min(part.end, said.end))
            for part in session.user_segments
            if part.overlaps(said) > 0
        ]
        both[turn.turn] = 1000.0 * sum(a.overlaps(b) for a in own for b in session.agent_segments)
    checks = latencies("voicebench", turns, heard)
    return [*checks, *overlaps("voicebench", turns, spans, both)], threshold


def _noise_dbfs(caller: np.ndarray[Any, np.dtype[np.float32]], rate: int) -> float:
    """Level of the caller's quietest tenth, in 10 ms windows."""
    step = rate // 100
    windows = caller[: len(caller) // step * step].reshape(-1, step)
    levels = np.sqrt(np.mean(np.square(windows, dtype=np.float64), axis=1))
    return float(20.0 * np.log10(max(np.percentile(levels, 10), 1e-6)))


def _hotato(recording: Path, turns: Sequence[Turn], spans: Sequence[Span]) -> list[Check]:
    """Its own activity tracks for the waits, its scorer for what the agent did when it was spoken over."""
    from hotato._engine.score import ScoreConfig
    from hotato._engine.vad import energy_vad
    from hotato.core import run_single
    from hotato.scan import windowed_frame_rms

    config = ScoreConfig()
    loud, agent_loud, hop_s, *_ = windowed_frame_rms(str(recording), 0, 1, config.frame_ms, config.hop_ms)
    caller = energy_vad(loud, hop_s, config.caller_vad).active_trimmed
    agent = energy_vad(agent_loud, hop_s, config.agent_vad).active_trimmed
    ends, starts = _edges(caller, hop_s)[1], _edges(agent, hop_s)[0]
    heard = {turn.turn: _nearest(turn, ends, starts) for turn in timed(turns)}
    ours, theirs = talked_over(turns, spans), {}
    for turn in turns:
        if turn.turn in ours:
            onset = turn.marks[Mark.SPEECH_START] / 1000.0
            event = run_single(stereo=str(recording), onset_sec=onset)["events"][0]
            took = event["verdict"]["seconds_to_yield"]
            theirs[turn.turn] = None if took is None else took * 1000.0
    return [*latencies("hotato", turns, heard), *yields("hotato", ours, theirs)]


def _edges(active: Sequence[bool], hop_s: float) -> tuple[list[float], list[float]]:
    """Where activity begins and where it ends, in ms."""
    changes = np.diff(np.array([False, *active, False], dtype=np.int8))
    begins, ends = np.flatnonzero(changes == 1), np.flatnonzero(changes == -1)
    return [float(at) * hop_s * 1000.0 for at in begins], [float(at) * hop_s * 1000.0 for at in ends]


def _nearest(turn: Turn, ends: Sequence[float], starts: Sequence[float]) -> Heard:
    """Its end of the caller's speech that lies nearest to ours, and the agent's next beginning behind that."""
    end_ms = turn.marks[Mark.SPEECH_END]
    near = [at for at in ends if abs(at - end_ms) <= SAME_SOUND_MS]
    if not near:
        return Heard(None, None)
    end = min(near, key=lambda at: abs(at - end_ms))
    return Heard(end, next((at for at in starts if at > end), None))


def _voice_evals(turns: Sequence[Turn]) -> list[Check]:
    """It takes a trace's latencies as they are and sums them up: this checks our percentiles."""
    from voice_evals import CallRecord, Scenario, StageTimings, evaluate

    waits = [float(turn.v2v_ms) for turn in turns if turn.v2v_ms is not None]
    if not waits:
        return []
    scenario = Scenario(name="replay", expected_outcome="")
    told = evaluate(
        [
            CallRecord(
                id=str(turn.turn),
                scenario=scenario,
                asr_transcript=turn.heard,
                ground_truth_transcript=turn.reference or turn.heard,
                agent_transcript=turn.said,
                outcome="",
                stage_timings=StageTimings(e2e_ms=float(turn.v2v_ms)),
            )
            for turn in turns
            if turn.v2v_ms is not None
        ]
    )
    from agent.report.rounded import percentiles

    ours = percentiles(waits)
    pairs = (("p50", ours.p50, told.e2e_p50_ms), ("p95", ours.p95, told.e2e_p95_ms))
    return [
        Check("voice-evals", f"V2V {name}", None, own, other) for name, own, other in pairs if own is not None
    ]
