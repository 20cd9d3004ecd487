"""One model of the council at work: replies, one or several in one batch, timed, and scores of given replies."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from agent.bench.council_cache import AnswerCache, digest
from stages.contract import Message
from stages.council.branch import Branch
from stages.council.config import SeatConfig
from stages.council.deciding.constrained import Allowed
from stages.council.engine import Engine
from stages.council.sample import Sampling
from stages.tts.pieces import PieceSplitter

MAX_TOKENS = 60
MIN_P = 0.1


@dataclass(frozen=True, slots=True)
class Said:
    """One reply: its text and its tokens' log-probabilities, the end mark included."""

    text: str
    logprobs: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Answers:
    """Replies that were made together. Times in ms from the question, the opening being in the cache already.

    ``first_ms`` is when the first speakable piece of the first reply was there, ``all_ms`` when all were done;
    ``cpu_s`` is the CPU time of all threads; ``tokens`` were read or made after the question.
    """

    said: tuple[Said, ...]
    first_ms: float
    all_ms: float
    cpu_s: float
    tokens: int


class Member:
    """A model, loaded when it is first needed. What it answered is kept on disk, with the times of that run."""

    def __init__(
        self, name: str, path: Path, fingerprint: str, config: SeatConfig, cache: AnswerCache
    ) -> None:
        self.name, self._path, self._config, self._cache = name, path, config, cache
        self._identity = (fingerprint, config.model_dump_json())
        self._engine: Engine | None = None
        self._opening: Branch | None = None

    def answers(self, messages: Sequence[Message], samplings: Sequence[Sampling]) -> Answers:
        """One reply for each of ``samplings``, all in one batch."""
        key = digest("answers", self._identity, list(messages), [_plain(how) for how in samplings])
        return _answers(self._cache.get(key, lambda: asdict(self._make(messages, samplings))))

    def scores(self, messages: Sequence[Message], texts: Sequence[str]) -> Answers:
        """The log-probabilities of ``texts`` as replies: each sequence is let through on its one way."""
        key = digest("scores", self._identity, list(messages), list(texts))

        def make() -> dict[str, object]:
            vocab = self._loaded().weights.vocab
            ways = [Allowed([vocab.tokenise(text, with_marks=False)], self._end()) for text in texts]
            hows = [Sampling(MAX_TOKENS, narrow=way.next_tokens) for way in ways]
            return asdict(self._make(messages, hows))

        return _answers(self._cache.get(key, make))

    def close(self) -> None:
        """Give the memory back."""
        if self._engine is not None:
            self._engine.close()
            self._engine = self._opening = None

    def _loaded(self) -> Engine:
        if self._engine is None:
            self._engine = Engine(self._path, self._config)
            self._opening = self._engine.open(())
        return self._engine

    def _end(self) -> int:
        return self._loaded().weights.vocab.eos

    def _make(self, messages: Sequence[Message], samplings: Sequence[Sampling]) -> Answers:
        engine = self._loaded()
        self._read_opening(messages)
        begin, cpu = time.perf_counter(), time.process_time()
        prompt = engine.prompt(messages)
        branches = [engine.open(prompt, how) for how in samplings]
        first_ms, splitter = None, PieceSplitter()
        try:
            while any(branch.over is None for branch in branches):
                for branch, piece in engine.step():
                    if branch is branches[0] and first_ms is None and splitter.feed(piece.text):
                        first_ms = (time.perf_counter() - begin) * 1000.0
            all_ms, cpu_s = (time.perf_counter() - begin) * 1000.0, time.process_time() - cpu
            said = tuple(_said(branch) for branch in branches)
            new = branches[0].prompt_tokens - branches[0].reused_tokens
            made = sum(len(one.logprobs) for one in said)
        finally:
            for branch in branches:
                engine.leave(branch)
        return Answers(said, all_ms if first_ms is None else first_ms, all_ms, cpu_s, new + made)

    def _read_opening(self, messages: Sequence[Message]) -> None:
        """Bring the cache to where it is in a call when the question comes: all before it is read."""
        engine, opening = self._loaded(), self._opening
        assert opening is not None
        blank: Message = {"role": "user", "content": ""}
        engine.turn_to(opening, engine.prompt([*messages[:-1], blank]))
        while opening.todo:
            engine.step()


def _said(branch: Branch) -> Said:
    assert branch.writer is not None
    return Said(branch.text.strip(), tuple(branch.writer.logprobs))


def _plain(how: Sampling) -> tuple[object, ...]:
    return how.max_tokens, how.temperature, how.min_p, how.seed, how.stop


def _answers(plain: dict[str, object]) -> Answers:
    said = tuple(Said(one["text"], tuple(one["logprobs"])) for one in plain["said"])  # type: ignore[attr-defined]
    return Answers(**{**plain, "said": said})  # type: ignore[arg-type]
