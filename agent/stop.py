"""Ctrl-C: the first one ends a run in order, a second one the program."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTED = 130


@contextmanager
def stop_on_signal() -> Iterator[asyncio.Event]:
    """An event that Ctrl-C or SIGTERM sets, instead of tearing the loop down; a second one ends the program at once."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()

    def asked() -> None:
        if stop.is_set():
            os._exit(INTERRUPTED)  # tasks and threads of the libraries would be waited for
        stop.set()

    try:
        loop.add_signal_handler(signal.SIGINT, asked)
        loop.add_signal_handler(signal.SIGTERM, asked)
    except (NotImplementedError, RuntimeError):  # no signals on this platform or thread
        yield stop
        return
    try:
        yield stop
    finally:
        loop.remove_signal_handler(signal.SIGINT)
        loop.remove_signal_handler(signal.SIGTERM)
