"""What is wrong with a recording, said once and plainly: clipping, a constant offset, a long lead-in."""

from __future__ import annotations

import numpy as np

from stages.audio.level import audible_span, dbfs, remove_dc
from stages.contract import RATE_HZ, Audio

_CLIPPED_AT = 0.998
_CLIPPED_SHARE = 0.001
_OFFSET = 0.01
_QUIET_DBFS = -50.0
_LEAD_IN_S = 10.0


def condition_notes(audio: Audio) -> tuple[str, ...]:
    """Notes on the caller's channel (16 kHz); empty for a clean one."""
    notes = []
    clipped = float(np.mean((audio >= _CLIPPED_AT) | (audio <= -_CLIPPED_AT)))
    if clipped > _CLIPPED_SHARE:
        notes.append(f"clipped: {100 * clipped:.1f} % of the samples are at full scale")
    offset = float(audio.mean(dtype=np.float64))
    if abs(offset) > _OFFSET:
        notes.append(f"a constant offset of {offset:+.3f} of full scale, taken out where levels are measured")
    clean = remove_dc(audio)
    if dbfs(clean) < _QUIET_DBFS:
        notes.append(f"very quiet: {dbfs(clean):.0f} dBFS on the whole")
    span = audible_span(clean, RATE_HZ)
    if span is not None and span[0] > _LEAD_IN_S * RATE_HZ:
        notes.append(f"nothing is heard for the first {span[0] / RATE_HZ:.1f} s")
    return tuple(notes)
