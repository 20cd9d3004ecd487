"""Whatever else goes on in the batch, a sequence says what it says alone."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

import pytest

from stages.contract import Message
from stages.council.branch import Branch
from stages.council.config import SeatConfig
from stages.council.engine import Engine
from stages.council.sample import Sampling
from stages.errors import Aborted, InputError

SMALL = SeatConfig(threads=1, n_ctx=512, reply_tokens=64, batch_tokens=32)
SYSTEM = Message(role="system", content="The branch opens at nine. A transfer costs two dollars.")
QUESTIONS = ("When do you open?", "When do you close?", "What does a transfer cost?")
DRAWN = tuple(Sampling(6, 0.0 if seed == 0 else 1.2, seed=seed) for seed in range(3))


def asked(question: str) -> list[Message]:
    return [SYSTEM, Message(role="user", content=question)]


def run(engine: Engine, *branches: Branch) -> list[str]:
    while any(branch.over is None for branch in branches):
        engine.step()
    return [branch.text for branch in branches]


@pytest.fixture(scope="module")
def alone(tiny) -> Callable[[Sequence[int], Sampling], str]:
    """What a fresh engine says, with nothing else going on."""
    known: dict[tuple[tuple[int, ...], Sampling], str] = {}

    def say(prompt: Sequence[int], sampling: Sampling) -> str:
        key = tuple(prompt), sampling
        if key not in known:
            engine = Engine(tiny, SMALL)
            known[key] = run(engine, engine.open(prompt, sampling))[0]
            engine.close()
        return known[key]

    return say


@pytest.fixture
def engine(tiny) -> Iterator[Engine]:
    made = Engine(tiny, SMALL)
    yield made
    made.close()


def test_replies_to_one_prompt_read_it_once_and_are_those_of_single_runs(engine, alone):
    prompt = engine.prompt(asked(QUESTIONS[0]))
    branches = [engine.open(prompt, sampling, rank=1) for sampling in DRAWN]
    assert run(engine, *branches) == [alone(prompt, sampling) for sampling in DRAWN]
    assert len({branch.text for branch in branches}) == 3
    assert [branch.reused_tokens for branch in branches] == [0, len(prompt), len(prompt)]
    written = sum(len(branch.writer.tokens) - 1 for branch in branches)  # the last token is never read
    assert engine.cache.used == len(prompt) + written


def test_a_reply_that_joins_late_shares_the_beginning_and_changes_nothing(engine, alone):
    first, second = (engine.prompt(asked(question)) for question in QUESTIONS[:2])
    early = engine.open(first, DRAWN[1])
    while early.text == "":
        engine.step()
    late = engine.open(second, DRAWN[2])
    assert late.reused_tokens > len(engine.prompt([SYSTEM, asked("")[1]])) // 2
    assert run(engine, early, late) == [alone(first, DRAWN[1]), alone(second, DRAWN[2])]


def test_a_reply_that_leaves_while_others_wait_for_its_prompt_hands_it_over(engine, alone):
    prompt = engine.prompt(asked(QUESTIONS[0]))
    leader, *others = [engine.open(prompt, sampling, rank=1) for sampling in DRAWN]
    engine.step()
    engine.leave(leader)
    assert leader.over == "left"
    assert others[0].reused_tokens == 32
    assert run(engine, *others) == [alone(prompt, sampling) for sampling in DRAWN[1:]]
    assert others[1].reused_tokens == len(prompt)


def test_the_fast_lane_goes_first_and_the_others_wait_as_they_are(engine, alone):
    slow_prompt, fast_prompt = (engine.prompt(asked(question)) for question in QUESTIONS[:2])
    slow = engine.open(slow_prompt, DRAWN[1], rank=1)
    while len(slow.writer.tokens) < 2:
        engine.step()
    fast = engine.open(fast_prompt, DRAWN[0])
    while fast.over is None:
        engine.step()
    assert len(slow.writer.tokens) == 2
    assert fast.text == alone(fast_prompt, DRAWN[0])
    assert run(engine, slow) == [alone(slow_prompt, DRAWN[1])]


def test_a_fast_reply_never_waits_for_a_slower_one_that_reads_the_same(engine, alone):
    prompt = engine.prompt(asked(QUESTIONS[0]))
    engine.open(prompt, DRAWN[1], rank=2)
    fast = engine.open(prompt, DRAWN[0])
    assert fast.leader is None
    assert run(engine, fast) == [alone(prompt, DRAWN[0])]


def test_an_abort_inside_a_prompt_leaves_every_sequence_as_it_was(engine, alone):
    prompt = engine.prompt(asked(QUESTIONS[0]))
    branches = [engine.open(prompt, sampling) for sampling in DRAWN]
    engine.step()
    calls = []
    with pytest.raises(Aborted):
        engine.step(lambda: calls.append(1) or len(calls) > 10)
    assert len(calls) == 11
    assert len(engine.cache.tokens(branches[0].sequence)) == 32
    assert run(engine, *branches) == [alone(prompt, sampling) for sampling in DRAWN]


def test_reading_along_reads_each_word_once_and_rolls_back_what_changed(engine, alone):
    reader = engine.open(())
    read = 0
    for words in ("When", "When do", "When do you", "When do you close?"):
        prompt, _ = engine.open_prompt(asked(words))
        thrown = engine.turn_to(reader, prompt)
        assert thrown == 0
        read += len(reader.todo)
        while reader.todo:
            engine.step()
    assert read == len(prompt)
    final = engine.prompt(asked("When do you open?"))
    assert engine.turn_to(reader, final) == len("close?")
    engine.start(reader, DRAWN[0])
    assert run(engine, reader) == [alone(final, DRAWN[0])]


def test_a_stop_text_ends_a_reply_before_it(engine, alone):
    prompt = engine.prompt(asked(QUESTIONS[0]))
    whole = alone(prompt, DRAWN[0])
    branch = engine.open(prompt, Sampling(6, stop=(whole[2:4],)))
    assert run(engine, branch) == [whole[:2]]
    assert branch.over == "stop"


def test_only_allowed_tokens_are_drawn_with_their_true_probabilities(engine):
    vocab = engine.weights.vocab
    yes, no = (vocab.tokenise(word, with_marks=False)[0] for word in ("y", "n"))
    branch = engine.open(engine.prompt(asked("Open?")), Sampling(3, narrow=lambda tokens: (yes, no)))
    assert set(run(engine, branch)[0]) <= {"y", "n"}
    assert branch.over == "limit"
    assert all(value < 0.0 for value in branch.writer.logprobs)


def test_a_full_context_ends_slower_replies_for_the_fast_lane_and_refuses_equals(tiny):
    engine = Engine(tiny, SMALL.model_copy(update={"sequences": 3, "n_ctx": 256, "reply_tokens": 100}))
    assert engine.config.cells == 456
    prompts = [[40 + at] * 150 for at in range(3)]
    slow = [engine.open(prompt, Sampling(60), rank=1) for prompt in prompts[:2]]
    with pytest.raises(InputError, match="no 210 tokens left"):
        engine.open(prompts[2], Sampling(60), rank=1)
    fast = engine.open(prompts[2], Sampling(60))
    assert [branch.over for branch in slow] == [None, "left"]
    while fast.over is None:
        engine.step()
    engine.close()


def test_more_sequences_than_there_are_is_refused(engine):
    for _ in range(SMALL.sequences):
        engine.open(())
    with pytest.raises(InputError, match="All sequences"):
        engine.open(())


def test_ten_thousand_random_schedules_leak_nothing_and_change_no_text(engine, alone):
    rng = random.Random(20)
    prompts = [engine.prompt(asked(question)) for question in QUESTIONS]
    finished = 0
    for _ in range(10_000):
        wanted = {}
        for _ in range(rng.randint(2, 9)):
            _act(engine, rng, prompts, wanted)
        for branch, (prompt, sampling) in wanted.items():
            if branch.over == "limit" or branch.over == "model":
                finished += 1
                assert branch.text == alone(prompt, sampling)
        for branch in list(engine.live):
            engine.leave(branch)
        assert engine.cache.used == 0
        assert engine.cache.sequences == ()
    assert finished > 1000
    everything = engine.open([50] * engine.config.n_ctx)  # llama.cpp's own cells are free again, all of them
    more = engine.open([51] * (engine.config.cells - engine.config.n_ctx))
    while everything.todo or more.todo:
        engine.step()
    assert engine.cache.used == engine.config.cells


def _act(engine: Engine, rng: random.Random, prompts: list[list[int]], wanted: dict) -> None:
    """One random event: a join, a turn to another prompt, a leave, an abort, or some steps."""
    what = rng.random()
    if what < 0.35 and len(engine.live) < SMALL.sequences:
        prompt, sampling = rng.choice(prompts), rng.choice(DRAWN)
        wanted[engine.open(prompt, sampling, rank=rng.randint(0, 2))] = prompt, sampling
    elif what < 0.45 and engine.live:
        branch, prompt, sampling = rng.choice(engine.live), rng.choice(prompts), rng.choice(DRAWN)
        engine.turn_to(branch, prompt)
        engine.start(branch, sampling)
        wanted[branch] = prompt, sampling
    elif what < 0.55 and engine.live:
        engine.leave(rng.choice(engine.live))
    elif what < 0.65 and engine.busy:
        left = rng.randint(0, 30)
        asked_for = iter(range(left))
        try:
            engine.step(lambda: next(asked_for, None) is None)
        except Aborted:
            return
    else:
        for _ in range(rng.randint(1, 8)):
            engine.step()
