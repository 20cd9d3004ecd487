"""From the live agent's records to what the ledger takes: exchanges on the call's own time line."""

from __future__ import annotations

from agent.recorder import Recorder, ReplyRecord
from agent.report.schema import Decision, ReplyDetails, Tokens
from latency_budget.exchange import Exchange, Path
from latency_budget.marks import Mark

FAST: Path = "fast"


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
        path=FAST if record.said else None,
        done=record.closed,
    )


def details_of(record: ReplyRecord, recorder: Recorder) -> ReplyDetails:
    """What is known about an exchange besides its times."""
    played = record.played or recorder.playback.of(record.reply)
    prefill = record.prefill
    return ReplyDetails(
        decision=Decision(chosen=FAST, why=f"the one path there is; committed: {record.why}"),
        tokens=Tokens(
            prompt=prefill.prompt_tokens if prefill else 0,
            reused=prefill.reused_tokens if prefill else 0,
            generated=record.generated,
        ),
        underruns=played.underruns,
    )
