"""One at a time, the most urgent first, and a claim that keeps the others out between two steps."""

from __future__ import annotations

import threading

import pytest

from stages.council.gate import Gate


def test_whoever_is_inside_learns_that_a_more_urgent_one_waits() -> None:
    gate, inside, order = Gate(), threading.Event(), []

    def urgent() -> None:
        inside.set()
        with gate.hold(0):
            order.append("urgent")

    with gate.hold(1):
        assert not gate.outranked(1)
        thread = threading.Thread(target=urgent)
        thread.start()
        assert inside.wait(5.0)
        while not gate.outranked(1):
            pass
        assert not gate.outranked(0)
        order.append("slow")
    thread.join(5.0)
    assert order == ["slow", "urgent"]


def test_a_claim_keeps_the_others_out_until_its_release() -> None:
    gate, asked = Gate(), []

    def between() -> None:
        asked.append(1)
        gate.release("lane")

    gate.claim("lane", 0)
    with gate.hold(0):
        assert gate.outranked(1)
    with gate.hold(1, between):
        assert asked == [1]
    gate.release("lane")


def test_a_wait_that_is_given_up_leaves_no_trace() -> None:
    gate = Gate()
    gate.claim("lane", 0)

    def between() -> None:
        raise KeyError

    with pytest.raises(KeyError), gate.hold(1, between):
        pass
    assert not gate.outranked(2) or gate.outranked(1)
    gate.release("lane")
    assert not gate.outranked(2)
