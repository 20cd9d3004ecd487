"""The one file that reads the time.

Everything else gets time as data. The clock is the event loop's own (monotonic), so that a test may run the whole
pipeline on virtual time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime


def now_ms() -> float:
    """Milliseconds on the running loop's monotonic clock."""
    return asyncio.get_running_loop().time() * 1000.0


async def sleep_until_ms(at_ms: float) -> float:
    """Wait until ``at_ms``; returns how late the wake-up was, in milliseconds (never negative)."""
    wait = at_ms - now_ms()
    if wait > 0:
        await asyncio.sleep(wait / 1000.0)
    return max(0.0, now_ms() - at_ms)


def clock_for_threads() -> Callable[[], float]:
    """The running loop's clock, in milliseconds, for a thread that is not the loop's: a sound card's callback."""
    loop = asyncio.get_running_loop()
    return lambda: loop.time() * 1000.0


def unix_ms(at_ms: float) -> float:
    """Unix time in ms of ``at_ms`` on the running loop's clock, as the system's clock sees it now."""
    return datetime.now(UTC).timestamp() * 1000.0 - (now_ms() - at_ms)


def today() -> str:
    """The date, as 2025-03-01, for figures that are written down."""
    return datetime.now(UTC).date().isoformat()
