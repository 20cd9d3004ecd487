"""A device's time line on the loop's clock."""

from __future__ import annotations

from agent.transports.stream_clock import JUMP_MS, HostOffset, StreamClock


def test_jitter_averages_out() -> None:
    """Readings that swing by 5 ms move a sample's time by less than 0.2 ms."""
    clock = StreamClock(16_000)
    clock.read(0, 1000.0)
    for k in range(1, 500):
        at = clock.read(k * 320, 1000.0 + k * 20.0 + (5.0 if k % 2 else -5.0))
        assert abs(at - (1000.0 + k * 20.0)) < 0.2


def test_a_skip_is_followed_at_once() -> None:
    clock = StreamClock(16_000)
    clock.read(0, 1000.0)
    assert clock.read(320, 1020.0 + JUMP_MS + 1.0) == 1020.0 + JUMP_MS + 1.0


def test_drift_is_followed() -> None:
    """A card that is 100 ppm slow is off by 0.1 ms a second; after a minute the clock is within 0.2 ms of it."""
    clock = StreamClock(16_000)
    for k in range(3000):
        true = k * 20.0 * 1.0001
        at = clock.read(k * 320, true)
    assert abs(at - true) < 0.2


def test_the_earliest_reading_of_the_hosts_clock_counts() -> None:
    """A reading that the interpreter held up for 8 ms changes nothing."""
    offset = HostOffset()
    assert offset.to_ours(50.0, 40.0, 1040.0) == 1050.0
    late = offset.to_ours(70.0, 60.0, 1068.0)
    assert abs(late - 1070.0) < 0.01
