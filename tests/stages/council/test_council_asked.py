"""Several seats on one engine: the same texts as alone, and the fast seat before them within a step."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from stages.contract import Message
from stages.council.config import SeatConfig
from stages.council.council import Ask, EngineCouncil
from stages.council.sample import Sampling
from stages.council.seat import LlamaSeat
from stages.errors import Aborted

SMALL = SeatConfig(threads=1, n_ctx=512, reply_tokens=64, batch_tokens=32)
SYSTEM = Message(role="system", content="The branch opens at nine. A transfer costs two dollars.")
DRAWN = tuple(Sampling(6, 0.0 if seed == 0 else 1.2, seed=seed) for seed in range(3))


def asked(question: str) -> list[Message]:
    return [SYSTEM, Message(role="user", content=question)]


@pytest.fixture
def seat(tiny: Path) -> Iterator[LlamaSeat]:
    made = LlamaSeat(tiny, SMALL)
    yield made
    made.close()


def written(question: str) -> list[Ask]:
    return [Ask("tiny", f"seat {at}", asked(question), how) for at, how in enumerate(DRAWN)]


def fresh(tiny: Path, ask: Ask) -> str:
    seat = LlamaSeat(tiny, SMALL)
    (_, made), *_ = EngineCouncil(seat.engine).answer([ask])
    seat.close()
    return made.text


def test_each_seat_says_in_the_batch_what_it_says_alone(seat: LlamaSeat, tiny: Path) -> None:
    asks = written("When do you open?")
    made = dict(EngineCouncil(seat.engine).answer(asks))
    assert [made[at].text for at in range(3)] == [fresh(tiny, ask) for ask in asks]
    assert [made[at].seat for at in range(3)] == ["seat 0", "seat 1", "seat 2"]
    assert all(made[at].logprobs and not made[at].fault for at in range(3))
    assert len(seat.engine.live) == 1  # the fast lane's own


def test_a_given_reply_has_the_log_probabilities_of_writing_it(seat: LlamaSeat) -> None:
    messages, vocab = asked("When do you open?"), seat.engine.weights.vocab
    letters = [vocab.tokenise(letter, with_marks=False)[-1] for letter in "abcdefgh"]
    how = Sampling(6, narrow=lambda tokens: letters)
    ((_, made),) = EngineCouncil(seat.engine).answer([Ask("tiny", "writes", messages, how)])
    given = [
        Ask("tiny", "given", messages, Sampling(6), made.text, fit=2.5),
        Ask("tiny", "other", messages, Sampling(6), "zzz"),
    ]
    scored = dict(EngineCouncil(seat.engine).answer(given))
    assert len(made.logprobs) == 6
    assert scored[0].logprobs[:6] == pytest.approx(made.logprobs[:6], abs=1e-4)
    assert (scored[0].text, scored[0].fit) == (made.text, 2.5)
    assert len(scored[1].logprobs) == len(seat.engine.weights.vocab.tokenise("zzz", with_marks=False)) + 1


def test_the_fast_seat_answers_between_two_steps_of_a_council_and_changes_no_text(
    seat: LlamaSeat, tiny: Path
) -> None:
    alone = LlamaSeat(tiny, SMALL)
    whole = [piece.text for piece in alone.reply(asked("What does it cost?"), max_tokens=6)]
    alone.close()
    asks = written("When do you open?")
    council = EngineCouncil(seat.engine).answer(asks)
    made = [next(council)]  # its other sequences are live, and nobody steps them now
    assert [piece.text for piece in seat.reply(asked("What does it cost?"), max_tokens=6)] == whole
    made += council
    assert [text for _, text in sorted((at, one.text) for at, one in made)] == [
        fresh(tiny, ask) for ask in asks
    ]


def test_a_prompt_that_a_council_reads_is_stopped_for_the_fast_seat_and_read_behind_it(
    seat: LlamaSeat, tiny: Path
) -> None:
    long = [Ask("tiny", "long", asked("word " * 60), Sampling(4))]
    order: list[str] = []
    ready = threading.Event()

    def between() -> None:
        order.append("council")
        ready.set()

    def work() -> None:
        made.extend(EngineCouncil(seat.engine).answer(long, between=between))
        order.append("council done")

    made: list[object] = []
    thread = threading.Thread(target=work)
    with seat.engine.gate.hold(0):
        thread.start()
        assert ready.wait(5.0)
        seat.engine.gate.claim("lane", 0)
    with seat.engine.gate.hold(0):
        order.append("fast")
    assert not made
    seat.engine.gate.release("lane")
    thread.join(5.0)
    assert order[-1] == "council done"
    assert "fast" in order[:-1]
    assert [one.text for _, one in made] == [fresh(tiny, long[0])]  # type: ignore[misc]


def test_an_abort_ends_it_within_a_step_and_leaves_nothing_behind(seat: LlamaSeat) -> None:
    asks, calls = written("When do you open?"), []
    with pytest.raises(Aborted):
        list(EngineCouncil(seat.engine).answer(asks, abort=lambda: calls.append(1) or len(calls) > 3))
    assert len(seat.engine.live) == 1
    assert dict(EngineCouncil(seat.engine).answer(asks))[0].text


def test_a_pause_that_raises_ends_it_and_leaves_nothing_behind(seat: LlamaSeat) -> None:
    def between() -> None:
        raise Aborted

    with pytest.raises(Aborted):
        list(EngineCouncil(seat.engine).answer(written("When?"), between=between))
    assert len(seat.engine.live) == 1


def test_a_seat_without_room_fails_alone(tiny: Path) -> None:
    seat = LlamaSeat(tiny, SMALL.model_copy(update={"sequences": 3}))
    made = dict(EngineCouncil(seat.engine).answer(written("When do you open?")))
    assert "All sequences" in made[2].fault
    assert not made[0].fault
    assert made[0].text
    seat.close()
