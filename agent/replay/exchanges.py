"""From the live agent's records to what the ledger takes: exchanges on the call's own time line."""

from __future__ import annotations

from agent.controller.way import SAFE_TAKE
from agent.recorder import DecisionNote, Recorder, ReplyRecord, TakeRecord
from agent.report.schema import Decision, ReplyDetails, Speculation, Tokens
from agent.report.turns import DecisionStep, Hindsight, WayRow
from latency_budget.exchange import Exchange
from latency_budget.marks import Mark


def exchange_of(record: ReplyRecord, recorder: Recorder) -> Exchange:
    """One record as an exchange, whether its reply is over or still running."""
    origin = recorder.origin_ms
    played = record.played or recorder.playback.of(record.reply)
    marks = {Mark(name): at - origin for name, at in record.marks.items()}
    content = played.first_content_ms
    if content is None and record.closed and record.withdrawn_ms is None:
        # Nothing but openers was said: then that was the whole answer.
        content = played.first_audio_ms
    if content is not None:
        marks[Mark.FIRST_CONTENT] = content - origin
    audible = tuple((start - origin, end - origin) for start, end in played.spans)
    cut = record.withdrawn_ms if audible and record.withdrawn_why in ("barge_in", "reopened") else None
    return Exchange(
        id=record.reply,
        marks=marks,
        audible=audible,
        interrupted_at_ms=None if cut is None else cut - origin,
        heard=record.heard,
        said=" ".join(piece.text for piece in played.pieces if piece.first_ms is not None),
        path=record.path if record.said else None,
        bridge=record.bridge,
        done=record.closed,
    )


def exchanges(recorder: Recorder) -> list[Exchange]:
    """All commits so far; drafts that were taken back are none."""
    return [exchange_of(record, recorder) for record in recorder.records.values() if record.committed]


def details(recorder: Recorder) -> dict[int, ReplyDetails]:
    """What is known about each exchange besides its times; drafts taken back count as its waste."""
    found: dict[int, ReplyDetails] = {}
    wasted: list[ReplyRecord] = []
    for record in recorder.records.values():
        if record.committed:
            found[record.reply] = _details_of(record, wasted, recorder)
            wasted = []
        else:
            wasted.append(record)
    return found


def _decision(record: ReplyRecord, origin_ms: float) -> Decision:
    notes = record.decisions
    best = record.best
    told = next((note for note in reversed(notes) if note.event == "turn end"), None)
    if told is None:
        return Decision(
            chosen=record.path, why=f"committed: {record.why}", steps=[_step(one) for one in notes]
        )
    return Decision(
        predicted_ms=dict(told.predicted_ms),
        predicted_p95_ms=dict(told.predicted_p95_ms),
        chosen=record.path,
        why=f"committed: {record.why}; {told.why}",
        steps=[_step(one) for one in notes],
        ways=[_way(take, made, record, origin_ms) for take, made in record.takes.items()],
        best=None
        if best is None
        else Hindsight(
            path=best.path,
            onset_ms=round(best.onset_ms),
            quality=round(best.quality, 3),
            regret=round(best.regret, 3),
        ),
        price=round(sum(made.held_ms for made in record.takes.values()) / 1000.0, 3),
    )


def _step(note: DecisionNote) -> DecisionStep:
    return DecisionStep(
        event=note.event,
        waited_ms=note.waited_ms,
        chosen=note.chosen,
        why=note.why,
        predicted_ms=dict(note.predicted_ms),
        predicted_p95_ms=dict(note.predicted_p95_ms),
        quality=dict(note.quality),
        price=dict(note.price),
        started=list(note.started),
        aborted=list(note.aborted),
    )


def _way(take: int, made: TakeRecord, record: ReplyRecord, origin_ms: float) -> WayRow:
    """What became of one way; a safe sentence is no path of its own."""
    end = origin_ms + record.covers_ms
    ready = made.marks.get("tts_first_chunk")
    return WayRow(
        path="safe" if take == SAFE_TAKE else made.path,
        heard=take == record.lead,
        ready_ms=None if ready is None else round(ready - end, 1),
        said=" ".join(made.said),
        tokens=made.generated,
        audio_s=round(made.audio_s, 3),
        price=round(made.held_ms / 1000.0, 3),
    )


def _details_of(record: ReplyRecord, wasted: list[ReplyRecord], recorder: Recorder) -> ReplyDetails:
    played = record.played or recorder.playback.of(record.reply)
    prefill = record.prefill
    unheard = [made for take, made in record.takes.items() if take != record.lead]
    hit = record.path in ("speculated", "cached") and bool(played.spans)
    prepared_s = min(record.audio_ahead_s, sum(end - start for start, end in played.spans) / 1000.0)
    return ReplyDetails(
        decision=_decision(record, recorder.origin_ms),
        tokens=Tokens(
            prompt=prefill.prompt_tokens if prefill else 0,
            reused=prefill.reused_tokens if prefill else 0,
            generated=record.generated,
            speculated=record.generated_ahead + sum(one.generated for one in wasted),
        ),
        speculation=Speculation(
            hit=hit,
            # A draft is spoken only if it answers the very words that the turn ended with, and a reply from memory
            # only if it is sure to fit them: all of it counts as fitting. `bench facts` measures how far that is so.
            spoken_audio_s=prepared_s if hit else 0.0,
            fitting_audio_s=prepared_s if hit else 0.0,
            waste_tokens=sum(one.generated for one in wasted) + sum(one.generated for one in unheard),
            waste_audio_s=sum(one.audio_s for one in wasted) + sum(one.audio_s for one in unheard),
        ),
        underruns=played.underruns,
    )
