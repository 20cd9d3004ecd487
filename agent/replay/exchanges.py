"""From the live agent's records to what the ledger takes: exchanges on the call's own time line."""

from __future__ import annotations

from agent.recorder import Recorder, ReplyRecord
from agent.report.schema import Decision, ReplyDetails, Speculation, Tokens
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


def _decision(record: ReplyRecord) -> Decision:
    told = record.forecast
    if told is None:
        return Decision(chosen=record.path, why=f"committed: {record.why}")
    return Decision(
        predicted_ms=dict(told.predicted_ms),
        predicted_p95_ms=dict(told.predicted_p95_ms),
        chosen=record.path,
        why=f"committed: {record.why}; {told.why}",
    )


def _details_of(record: ReplyRecord, wasted: list[ReplyRecord], recorder: Recorder) -> ReplyDetails:
    played = record.played or recorder.playback.of(record.reply)
    prefill = record.prefill
    hit = record.path == "speculated" and bool(played.spans)
    prepared_s = min(record.audio_ahead_s, sum(end - start for start, end in played.spans) / 1000.0)
    return ReplyDetails(
        decision=_decision(record),
        tokens=Tokens(
            prompt=prefill.prompt_tokens if prefill else 0,
            reused=prefill.reused_tokens if prefill else 0,
            generated=record.generated,
            speculated=record.generated_ahead + sum(one.generated for one in wasted),
        ),
        speculation=Speculation(
            hit=hit,
            # A draft is spoken only if it answers the very words that the turn ended with: all of it fits.
            spoken_audio_s=prepared_s if hit else 0.0,
            fitting_audio_s=prepared_s if hit else 0.0,
            waste_tokens=sum(one.generated for one in wasted),
            waste_audio_s=sum(one.audio_s for one in wasted),
        ),
        underruns=played.underruns,
    )
