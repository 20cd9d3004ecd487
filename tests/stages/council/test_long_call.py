"""A call of two hundred turns: the context stays in budget, and memory stays where it was."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from stages.contract import Message
from stages.council.config import SeatConfig
from stages.council.seat import LlamaSeat

SYSTEM = Message(role="system", content="The branch opens at nine and closes at five.")
CONFIG = SeatConfig(threads=1, n_ctx=512, reply_tokens=64, batch_tokens=64)
MAY_GROW_MB = 8.0


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def talk(seat: LlamaSeat, turns: int) -> float:
    """Have a call; how many MB it took from its tenth turn on."""
    messages, before = [SYSTEM], 0.0
    for turn in range(turns):
        messages.append(Message(role="user", content=f"Question {turn}: when do you open?"))
        seat.read_along(messages)
        reply = "".join(piece.text for piece in seat.reply(messages, max_tokens=8))
        assert seat.last_prefill.prompt_tokens <= CONFIG.prompt_tokens
        assert seat.last_prefill.reused_tokens > len(seat.engine.prompt([SYSTEM])) // 2
        assert seat.engine.cache.used <= CONFIG.n_ctx
        messages.append(Message(role="assistant", content=reply.strip() or "Yes."))
        before = resident_mb() if turn == 10 else before
    return resident_mb() - before


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_two_hundred_turns_take_no_memory(tiny):
    seat = LlamaSeat(tiny, CONFIG)
    assert talk(seat, 200) < MAY_GROW_MB
    seat.close()


@pytest.mark.models
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_two_hundred_turns_of_a_real_model_take_no_memory(model_dir):
    seat = LlamaSeat(next(model_dir("smollm2-135m").glob("*.gguf")), CONFIG)
    assert talk(seat, 200) < MAY_GROW_MB
    seat.close()
