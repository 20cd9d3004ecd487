"""What the card's callback takes: order, fades, and nothing of a cancelled reply."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from pipecat.frames.frames import Frame

from agent.transports.play_queue import Marker, PlayQueue, Sound, Starved

RATE = 1000  # one sample a millisecond
FADE_MS = 4.0


def full(count: int, level: int = 1000) -> np.ndarray:
    return np.full(count, level, dtype=np.int16)


def test_samples_and_marks_come_back_in_order_with_their_times() -> None:
    """A mark stands before exactly the samples that were put after it."""
    queue = PlayQueue(RATE, FADE_MS)
    first, second = Marker(1, Frame()), Marker(1, Frame(), ends=True)
    for item in (first, Sound(1, full(15)), second):
        queue.put(item)
    assert queue.waiting_ms == 15.0
    assert queue.pull(10, 100.0).tolist() == [1000] * 10
    assert queue.pull(10, 110.0).tolist() == [1000] * 5 + [0] * 5
    assert queue.waiting_ms == 0.0
    notes = list(queue.notes)
    assert notes[0] is first
    assert notes[3] is second
    assert [(note.at_ms, len(note.samples)) for note in notes if isinstance(note, Sound)] == [
        (100.0, 10),
        (110.0, 5),
    ]


def test_a_cancelled_reply_fades_and_is_gone() -> None:
    """Four samples of fade, then silence; its end mark never comes."""
    queue = PlayQueue(RATE, FADE_MS)
    queue.put(Sound(1, full(20)))
    queue.put(Sound(1, full(20)))
    queue.put(Marker(1, Frame(), ends=True))
    queue.pull(10, 0.0)
    queue.cancel(1)
    assert queue.pull(10, 10.0).tolist() == [1000, 666, 333, 0, 0, 0, 0, 0, 0, 0]
    assert queue.pull(10, 20.0).tolist() == [0] * 10
    assert queue.waiting_ms == 0.0
    assert not any(isinstance(note, Marker | Starved) for note in queue.notes)


def test_a_cancel_between_two_blocks_fades_as_well() -> None:
    """The click would be as loud there as anywhere: the next block is faded, not dropped."""
    queue = PlayQueue(RATE, FADE_MS)
    queue.put(Marker(1, Frame()))
    queue.put(Sound(1, full(10)))
    queue.put(Sound(1, full(10)))
    queue.pull(10, 0.0)
    queue.cancel(1)
    assert queue.pull(10, 10.0).tolist() == [1000, 666, 333, 0, 0, 0, 0, 0, 0, 0]


def test_a_reply_that_has_not_begun_is_dropped_without_a_sound() -> None:
    queue = PlayQueue(RATE, FADE_MS)
    queue.put(Marker(1, Frame()))
    queue.put(Sound(1, full(10)))
    queue.cancel(1)
    queue.put(Marker(2, Frame()))
    queue.put(Sound(2, full(5, 7)))
    assert queue.pull(5, 0.0).tolist() == [7] * 5


def test_running_dry_inside_a_reply_counts_once_it_goes_on() -> None:
    """A gap is an underrun only if more of the reply follows; silence after its end is none."""
    queue = PlayQueue(RATE, FADE_MS)
    queue.put(Marker(1, Frame()))
    queue.put(Sound(1, full(5)))
    queue.pull(10, 0.0)
    queue.pull(10, 10.0)
    assert not any(isinstance(note, Starved) for note in queue.notes)
    queue.put(Sound(1, full(5)))
    queue.put(Marker(1, Frame(), ends=True))
    queue.pull(10, 20.0)
    queue.pull(10, 30.0)
    assert sum(isinstance(note, Starved) for note in queue.notes) == 1


@given(
    blocks=st.lists(st.integers(1, 30), min_size=1, max_size=8),
    pulls=st.lists(st.integers(1, 25), min_size=1, max_size=20),
    cancel_at=st.integers(0, 20),
)
def test_after_a_cancel_no_more_than_the_fade_is_heard(
    blocks: list[int], pulls: list[int], cancel_at: int
) -> None:
    """Whatever the sizes: what sounds after the cancel is no longer than the fade, and it is all accounted for."""
    queue = PlayQueue(RATE, FADE_MS)
    queue.put(Marker(1, Frame()))
    for count in blocks:
        queue.put(Sound(1, full(count)))
    after = 0
    for at, count in enumerate(pulls):
        if at == cancel_at:
            queue.cancel(1)
        block = queue.pull(count, 0.0)
        if at >= cancel_at:
            after += int(np.count_nonzero(block))
    assert after <= FADE_MS
    noted = sum(len(note.samples) for note in queue.notes if isinstance(note, Sound))
    assert noted <= sum(blocks)
