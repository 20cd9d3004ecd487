"""A peer's log scored by the very code that scores our own calls: audible samples against the caller's labels."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from agent.bench.peer_log import EVENTS, SAMPLES
from agent.calls.load import LoadedCall
from agent.config.load import Loaded
from agent.errors import AgentError
from agent.playback import Playback
from agent.replay.plan import ReplayPlan
from agent.report.build import CallFacts, Rows, RunContext, build_report
from agent.report.facts import ConfigFacts, ReplayFacts
from agent.report.machine import machine_facts
from agent.report.rows import turn_rows, unmatched_rows
from agent.report.schema import Report
from latency_budget.exchange import Exchange
from latency_budget.marks import Mark
from latency_budget.outcome import match
from stages.contract import RATE_HZ, Audio
from stages.tts.pieces import is_opener


@dataclass
class _Commit:
    """One end of a turn, as the peer saw it."""

    at_ms: float
    heard: str
    said: list[str] = field(default_factory=list)
    cut_ms: float | None = None


@dataclass(frozen=True)
class Played:
    """What a peer did, on the call's time line.

    Attributes:
        exchanges: its commits and replies.
        blocks: first sample's time and the samples of everything that left it.
        settings: what its glue had to find out.
    """

    exchanges: list[Exchange]
    blocks: list[tuple[float, Audio]]
    rate_hz: int
    settings: dict[str, Any]


def read_played(folder: Path, latency_ms: float) -> Played:
    """Read a whole log; ``latency_ms`` is what the loudspeaker adds, as in our own replays.

    Raises:
        AgentError: there is none, or the peer did not come to its end.
    """
    try:
        lines = (folder / EVENTS).read_text(encoding="utf-8").splitlines()
        samples = np.fromfile(folder / SAMPLES, np.int16)
    except OSError as error:
        raise AgentError("bench.peer_log", f"{folder} holds no log: {error}.", "Run it again.", 3) from error
    events = [json.loads(line) for line in lines if line.strip()]
    if not events or events[-1]["what"] != "over":
        raise AgentError(
            "bench.peer_log", f"{folder / EVENTS} ends in the middle of the call.", "Run it again.", 3
        )
    return played(events, samples, latency_ms)


def played(
    events: Iterable[dict[str, Any]], samples: np.ndarray[Any, np.dtype[np.int16]], latency_ms: float
) -> Played:
    """The exchanges of a log's events; ``samples`` are those of its audio events, in order."""
    commits: list[_Commit] = []
    settings: dict[str, Any] = {}
    playback, origin, taken = Playback(RATE_HZ, latency_ms), 0.0, 0
    for event in events:
        at_ms, what = event["at_ms"] - origin, event["what"]
        if what == "rate":
            playback = Playback(event["hz"], latency_ms)
        elif what == "origin":
            origin = event["at_ms"]
        elif what == "setting":
            settings[event["name"]] = event["value"]
        elif what == "turn_end":
            commits.append(_Commit(at_ms, event["heard"]))
        elif what == "piece" and commits:
            text = event["text"]
            commits[-1].said.append(text)
            playback.begin_piece(len(commits) - 1, len(commits[-1].said), text, not is_opener(text))
        elif what == "audio":
            block = samples[taken : taken + event["samples"]].astype(np.float32) / 32768.0
            taken += event["samples"]
            playback.write(at_ms, block)
        elif what == "cut" and commits:
            commits[-1].cut_ms = at_ms
    exchanges = [_exchange(index, commit, playback) for index, commit in enumerate(commits)]
    return Played(exchanges, playback.written, playback.rate_hz, settings)


def _exchange(index: int, commit: _Commit, playback: Playback) -> Exchange:
    heard = playback.of(index)
    marks = {Mark.TURN_END: commit.at_ms}
    content = heard.first_content_ms
    if content is None and commit.cut_ms is None:
        content = heard.first_audio_ms  # nothing but openers was said: then that was the whole answer
    if content is not None:
        marks[Mark.FIRST_CONTENT] = content
    said = " ".join(piece.text for piece in heard.pieces if piece.first_ms is not None)
    return Exchange(
        id=index,
        marks=marks,
        audible=tuple(heard.spans),
        interrupted_at_ms=commit.cut_ms if heard.spans else None,
        heard=commit.heard,
        said=said,
        path="fast" if said else None,
    )


def score(call: LoadedCall, planned: ReplayPlan, run: Played, loaded: Loaded, name: str) -> Report:
    """The report of one peer on one call; its "config" names the peer."""
    budget = loaded.config.budget
    matching = match(planned.turns, run.exchanges)
    turns = turn_rows(planned.name, matching, {}, budget)
    unmatched = unmatched_rows(planned.name, matching, {})
    facts = CallFacts(
        call=planned.name,
        seconds=len(planned.caller) / RATE_HZ,
        speech_end_source=call.speech_end_source,
        synthetic=call.call.synthetic,
        labelled_turns=len(planned.turns),
        skipped_s=planned.skipped_s,
        recording="call.wav",
    )
    config = ConfigFacts(
        path=name,
        sha256=loaded.sha256(),
        budget_ms=budget.budget_ms,
        content_budget_ms=budget.content_budget_ms,
    )
    context = RunContext(
        started_at=datetime.now(UTC),
        machine=machine_facts(),
        config=config,
        replay=ReplayFacts(mode="recorded", max_gap_s=loaded.config.replay.max_gap_s),
        calls=[facts],
    )
    return build_report(Rows(turns, unmatched), context)
