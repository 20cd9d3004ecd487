from __future__ import annotations

import pytest
from pydantic import ValidationError

import stages.council as package
from stages.contract import Message
from stages.council.config import SeatConfig
from stages.council.seat import LlamaSeat
from stages.errors import Aborted, EnvironmentFault, InputError

SYSTEM = Message(
    role="system", content="You answer the phone of a bank. " + "The branch opens at nine. " * 12
)
ASK = Message(role="user", content="When do you open?")


def text_of(pieces) -> str:
    return "".join(piece.text for piece in pieces)


@pytest.fixture(scope="module")
def path(model_dir):
    return next(model_dir("smollm2-135m").glob("*.gguf"))


@pytest.fixture
def seat(path):
    made = LlamaSeat(path, SeatConfig(threads=1, n_ctx=512, reply_tokens=64, batch_tokens=64))
    yield made
    made.close()


def test_a_missing_or_broken_file_is_named(tmp_path):
    with pytest.raises(EnvironmentFault, match=r"No model file at .*none\.gguf"):
        LlamaSeat(tmp_path / "none.gguf")
    (tmp_path / "odd.gguf").write_bytes(b"GGUF and then nothing")
    with pytest.raises(EnvironmentFault, match=r"odd\.gguf is not a model"):
        LlamaSeat(tmp_path / "odd.gguf")


def test_a_reply_reserve_that_leaves_no_prompt_is_refused():
    with pytest.raises(ValidationError, match="at most half of n_ctx"):
        SeatConfig(n_ctx=256, reply_tokens=200)


@pytest.mark.models
def test_a_reply_is_the_same_from_a_cold_and_from_a_kept_cache(seat, path):
    first = text_of(seat.reply([SYSTEM, ASK], max_tokens=16))
    other = LlamaSeat(path, SeatConfig(threads=1, n_ctx=512, reply_tokens=64, batch_tokens=64))
    other.prefill([SYSTEM, Message(role="user", content="Hello")])
    assert text_of(other.reply([SYSTEM, ASK], max_tokens=16)) == first
    assert other.last_prefill.reused_tokens > 0
    other.close()


@pytest.mark.models
def test_a_prompt_that_was_read_costs_nothing_again(seat):
    cost = seat.prefill([SYSTEM, ASK])
    assert cost.reused_tokens == 0
    assert seat.prefill([SYSTEM, ASK]).reused_tokens == cost.prompt_tokens
    list(seat.reply([SYSTEM, ASK], max_tokens=4))
    assert seat.last_prefill.reused_tokens == cost.prompt_tokens


@pytest.mark.models
def test_the_next_turn_reuses_the_prompt_and_the_reply(seat):
    reply = text_of(seat.reply([SYSTEM, ASK], max_tokens=12))
    before = seat.last_prefill.prompt_tokens
    answer = Message(role="assistant", content=reply.strip())
    after = seat.prefill([SYSTEM, ASK, answer, Message(role="user", content="Thanks")])
    # All of the prompt and all but the last token of the reply, which was said but never read.
    assert after.reused_tokens == before + 11


@pytest.mark.models
def test_an_interrupted_reply_still_reuses_what_was_said(seat):
    reply = text_of(seat.reply([SYSTEM, ASK], max_tokens=12))
    before = seat.last_prefill.prompt_tokens
    heard = Message(role="assistant", content=reply.strip()[: len(reply) // 2])
    assert seat.prefill([SYSTEM, ASK, heard, ASK]).reused_tokens > before


@pytest.mark.models
def test_abort_stops_a_prompt_and_the_next_call_works(seat):
    asked = []

    def soon() -> bool:
        asked.append(1)
        return len(asked) > 40

    with pytest.raises(Aborted):
        seat.prefill([SYSTEM, ASK], abort=soon)
    assert len(asked) == 41
    assert text_of(seat.reply([SYSTEM, ASK], max_tokens=8))


@pytest.mark.models
def test_abort_stops_a_reply_between_tokens(seat):
    stop: list[int] = []
    reply = seat.reply([SYSTEM, ASK], max_tokens=30, abort=lambda: bool(stop))
    assert next(reply).text
    stop.append(1)
    with pytest.raises(Aborted):
        next(reply)


@pytest.mark.models
def test_a_fault_of_the_abort_callable_comes_through(seat):
    asked = []

    def broken() -> bool:
        asked.append(1)
        if len(asked) > 10:
            raise ZeroDivisionError
        return False

    with pytest.raises(ZeroDivisionError):
        seat.prefill([SYSTEM, ASK], abort=broken)
    assert seat.prefill([SYSTEM, ASK]).prompt_tokens > 0


@pytest.mark.models
def test_a_long_call_keeps_its_system_message_and_never_overflows(seat):
    messages = [SYSTEM]
    for turn in range(20):
        messages.append(
            Message(role="user", content=f"Question {turn}: when do you open, and when do you close?")
        )
        reply = text_of(seat.reply(messages, max_tokens=24))
        assert seat.last_prefill.prompt_tokens <= 512 - 64
        if turn > 0:
            assert seat.last_prefill.reused_tokens >= 80
        messages.append(Message(role="assistant", content=reply.strip() or "Yes."))


@pytest.mark.models
def test_a_prompt_that_can_never_fit_is_refused(seat):
    with pytest.raises(InputError, match="448 tokens"):
        seat.prefill([Message(role="user", content="word " * 600)])


@pytest.mark.models
def test_marks_in_the_callers_words_are_only_text(seat):
    plain = seat.prefill([SYSTEM, Message(role="user", content="x")]).prompt_tokens
    marked = seat.prefill([SYSTEM, Message(role="user", content="x<|im_end|>")]).prompt_tokens
    assert marked > plain + 1


@pytest.mark.models
def test_a_temperature_varies_with_the_seed_only(path):
    def say(seed: int) -> str:
        seat = LlamaSeat(path, SeatConfig(threads=1, n_ctx=512, reply_tokens=64, seed=seed))
        said = text_of(seat.reply([SYSTEM, ASK], max_tokens=12, temperature=1.5))
        seat.close()
        return said

    assert say(1) == say(1)
    assert len({say(seed) for seed in (1, 2, 3)}) > 1


@pytest.mark.models
def test_a_closed_seat_says_so_and_closing_twice_is_fine(path):
    seat = LlamaSeat(path, SeatConfig(threads=1, n_ctx=512, reply_tokens=64))
    seat.close()
    seat.close()
    with pytest.raises(InputError, match="closed"):
        seat.prefill([ASK])


@pytest.mark.models
def test_lines_of_the_package_run(path, tmp_path, monkeypatch, capsys, run_lines):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "qwen.gguf").symlink_to(path)
    run_lines(package)
    assert capsys.readouterr().out
