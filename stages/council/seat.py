"""One language model on llama.cpp's low-level interface, with the conversation kept in its cache."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stages.contract import Abort, Message, Piece, Prefill, never
from stages.council.chat import ChatTemplate
from stages.council.config import SeatConfig
from stages.council.fit import common_prefix, fit
from stages.council.llama_runtime import llama
from stages.council.replies import Replies
from stages.council.sample import pick
from stages.council.vocab import Vocab
from stages.errors import Aborted, EnvironmentFault, InputError

_ABORTED = 2
"""What llama_decode answers when its abort callback said stop."""


class LlamaSeat:
    """One model, one sequence. Not thread safe: its owner serialises the calls.

    ``llama_cpp.Llama`` is not used: it cannot be stopped inside a prompt, and copies its logits and state about.
    """

    def __init__(self, path: Path | str, config: SeatConfig | None = None) -> None:
        """Load a GGUF file. Raises EnvironmentFault when it is missing, unreadable or without a chat template."""
        self._config = config or SeatConfig()
        self._lib = llama()
        self._model, self._context = _load(self._lib, Path(path), self._config)
        self._memory = self._lib.llama_get_memory(self._context)
        self._vocab = Vocab(self._model)
        self._template = _template(self._lib, self._model, self._vocab, Path(path))
        self._rng = np.random.default_rng(self._config.seed)
        self._replies = Replies()
        self._cached: list[int] = []
        self._has_logits = False
        self._last = Prefill(0, 0)
        self._abort: Abort = never
        self._abort_fault: BaseException | None = None
        self._callback = self._lib.ggml_abort_callback(self._is_unwanted)

    @property
    def last_prefill(self) -> Prefill:
        """What the last prompt cost."""
        return self._last

    def prefill(self, messages: Sequence[Message], *, abort: Abort = never) -> Prefill:
        """Read ``messages``, up to where the reply begins, keeping what the cache has of them.

        The oldest turns are left out when the context is full. Stops within a few milliseconds of an abort (raises
        Aborted), and what was read until then stays. Raises InputError for messages that can never fit.
        """
        prompt = self._prompt(messages)
        reused = self._keep_prefix(prompt)
        self._last = Prefill(len(prompt), reused)
        for start in range(len(self._cached), len(prompt), self._config.batch_tokens):
            self._read(prompt[start : start + self._config.batch_tokens], abort)
        return self._last

    def reply(
        self, messages: Sequence[Message], *, max_tokens: int, temperature: float = 0.0, abort: Abort = never
    ) -> Iterator[Piece]:
        """Read what is new of ``messages``, then generate, piece by piece, each whole characters.

        Ends at the model's own stop token, at ``max_tokens`` or when the context is full. Raises as ``prefill``.
        """
        self.prefill(messages, abort=abort)
        room = min(max_tokens, self._config.n_ctx - len(self._cached))
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        tokens: list[int] = []
        pieces: list[bytes] = []
        pending = 0
        try:
            while len(tokens) < room:
                if tokens:
                    self._read(tokens[-1:], abort)
                token = pick(self._logits(), temperature, self._rng)
                if self._vocab.ends(token):
                    break
                tokens.append(token)
                pieces.append(self._vocab.piece(token))
                pending += 1
                if text := decoder.decode(pieces[-1]):
                    yield Piece(text, pending)
                    pending = 0
            if text := decoder.decode(b"", final=True):
                yield Piece(text, pending)
        finally:
            self._replies.remember(tokens, pieces)

    def close(self) -> None:
        """Give the memory back. The seat cannot be used afterwards."""
        if self._context is not None:
            self._lib.llama_free(self._context)
            self._lib.llama_model_free(self._model)
            self._context = self._model = None

    def _prompt(self, messages: Sequence[Message]) -> list[int]:
        limit = self._config.n_ctx - self._config.reply_tokens
        return self._tokens(fit(messages, lambda some: len(self._tokens(some)), limit))

    def _tokens(self, messages: Sequence[Message]) -> list[int]:
        if self._context is None:
            raise InputError("seat.closed", "The seat was closed.", "Make a new one.")
        tokens: list[int] = []
        for part in self._template.parts(messages):
            if isinstance(part, str):
                tokens += self._vocab.tokenise(part, with_marks=True)
            else:
                tokens += self._said(messages[part])
        if self._vocab.wants_bos and tokens[:1] != [self._vocab.bos]:
            tokens.insert(0, self._vocab.bos)
        return tokens

    def _said(self, message: Message) -> list[int]:
        if message["role"] != "assistant":
            return self._vocab.tokenise(message["content"], with_marks=False)
        known, rest = self._replies.recall(message["content"])
        return known + self._vocab.tokenise(rest, with_marks=False) if rest else known

    def _keep_prefix(self, prompt: list[int]) -> int:
        """Cut the cache back to what it shares with ``prompt``; its last token is read again for its logits."""
        keep = common_prefix(self._cached, prompt)
        if keep == len(prompt) and not (self._has_logits and len(self._cached) == keep):
            keep -= 1
        self._cut(keep)
        return len(self._cached)

    def _cut(self, keep: int) -> None:
        if keep == len(self._cached):
            return
        self._has_logits = False
        if self._lib.llama_memory_seq_rm(self._memory, 0, keep, -1):
            del self._cached[keep:]
        else:  # a recurrent model cannot go back: start over
            self._lib.llama_memory_clear(self._memory, True)
            self._cached.clear()

    def _read(self, tokens: Sequence[int], abort: Abort) -> None:
        if abort():
            raise Aborted
        ids = (self._lib.llama_token * len(tokens))(*tokens)
        # A single token takes 15 to 45 ms, so asking before it is enough; inside a long prompt the callback asks
        # before each of some 1,000 operations (0.5B: 7 ms to stop, no measurable cost).
        self._abort = abort
        self._watch(len(tokens) > 1)
        code = self._lib.llama_decode(self._context, self._lib.llama_batch_get_one(ids, len(ids)))
        self._has_logits = code == 0
        if code == 0:
            self._cached += tokens
            return
        self._lib.llama_memory_seq_rm(self._memory, 0, len(self._cached), -1)
        self._explain(code)

    def _explain(self, code: int) -> None:
        fault, self._abort_fault = self._abort_fault, None
        if fault is not None:
            raise fault
        if code == _ABORTED:
            raise Aborted
        raise EnvironmentFault(
            "seat.decode", f"llama.cpp could not read {len(self._cached)} tokens and more (code {code}).", ""
        )

    def _watch(self, on: bool) -> None:
        callback = self._callback if on else self._lib.ggml_abort_callback()
        self._lib.llama_set_abort_callback(self._context, callback, None)

    def _is_unwanted(self, _: Any) -> bool:
        """Called by llama.cpp, through which no exception can pass: it is kept, and raised when decode returns."""
        try:
            return self._abort()
        except BaseException as fault:  # noqa: BLE001
            self._abort_fault = fault
            return True

    def _logits(self) -> NDArray[np.float32]:
        pointer = self._lib.llama_get_logits_ith(self._context, -1)
        return np.ctypeslib.as_array(pointer, (self._vocab.size,))


def _load(lib: Any, path: Path, config: SeatConfig) -> tuple[Any, Any]:
    if not path.is_file():
        raise EnvironmentFault(
            "model.missing", f"No model file at {path}.", "Check the path, or pull the model."
        )
    model_params = lib.llama_model_default_params()
    model_params.use_extra_bufts = config.use_extra_bufts
    model_params.n_gpu_layers = 0
    model = lib.llama_model_load_from_file(str(path).encode(), model_params)
    if not model:
        raise EnvironmentFault(
            "model.unreadable",
            f"{path} is not a model that llama.cpp can read, or is cut short.",
            "Pull it again.",
        )
    params = lib.llama_context_default_params()
    params.n_ctx, params.n_batch, params.n_ubatch = config.n_ctx, config.batch_tokens, config.batch_tokens
    params.n_threads = params.n_threads_batch = config.threads
    context = lib.llama_init_from_model(model, params)
    if not context:
        lib.llama_model_free(model)
        raise EnvironmentFault(
            "seat.memory", f"No memory for a context of {config.n_ctx} tokens of {path}.", "Lower n_ctx."
        )
    return model, context


def _template(lib: Any, model: Any, vocab: Vocab, path: Path) -> ChatTemplate:
    source = lib.llama_model_chat_template(model, None)
    if not source:
        raise EnvironmentFault(
            "model.template", f"{path} has no chat template.", "Take an instruct or chat model."
        )
    bos, eos = (
        vocab.piece(token, with_marks=True).decode(errors="replace") if token >= 0 else ""
        for token in (vocab.bos, vocab.eos)
    )
    return ChatTemplate(source.decode(errors="replace"), bos=bos, eos=eos)
