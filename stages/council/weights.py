"""One model file in memory: its weights, its tokeniser and its chat template."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stages.contract import Message
from stages.council.chat import ChatTemplate
from stages.council.config import SeatConfig
from stages.council.llama_runtime import llama
from stages.council.replies import Replies
from stages.council.vocab import Vocab
from stages.errors import EnvironmentFault, InputError


class Weights:
    """A loaded GGUF file. Turns messages into tokens; :class:`stages.council.decoder.Decoder` computes with it."""

    def __init__(self, path: Path, config: SeatConfig) -> None:
        """Raises EnvironmentFault when the file is missing, unreadable or without a chat template."""
        self._lib = llama()
        self.path = path
        self.pointer: Any = _load(self._lib, path, config)
        self.vocab = Vocab(self.pointer)
        self._template = _template(self._lib, self.pointer, self.vocab, path)
        self.replies = Replies()

    def tokens(self, messages: Sequence[Message]) -> list[int]:
        """The prompt for a reply to ``messages``. Raises InputError when the template refuses them."""
        return self._with_bos(self._joined(self._template.parts(messages), messages))

    def open_tokens(self, messages: Sequence[Message]) -> tuple[list[int], int]:
        """The prompt up to the last word of the last message, left open, and the token that would close it.

        Raises InputError when the template refuses the messages, or puts nothing behind them.
        """
        parts = self._template.parts(messages)
        at = max((i for i, part in enumerate(parts) if part == len(messages) - 1), default=-1)
        behind = next((part for part in parts[at + 1 :] if isinstance(part, str)), "")
        closing = self.vocab.tokenise(behind, with_marks=True)
        if at < 0 or not closing:
            raise InputError(
                "seat.messages", "The chat template does not close the last message with a mark."
            )
        return self._with_bos(self._joined(parts[: at + 1], messages)), closing[0]

    def reply_tokens(self, text: str) -> list[int]:
        """The tokens of ``text`` as a reply: those that the model itself wrote, where it did."""
        known, rest = self.replies.recall(text)
        return known + self.vocab.tokenise(rest, with_marks=False) if rest else known

    def close(self) -> None:
        """Give the memory back."""
        if self.pointer is not None:
            self._lib.llama_model_free(self.pointer)
            self.pointer = None

    def _joined(self, parts: Sequence[str | int], messages: Sequence[Message]) -> list[int]:
        if self.pointer is None:
            raise InputError("seat.closed", "The seat was closed.", "Make a new one.")
        tokens: list[int] = []
        for part in parts:
            if isinstance(part, str):
                tokens += self.vocab.tokenise(part, with_marks=True)
            else:
                tokens += self._said(messages[part])
        return tokens

    def _with_bos(self, tokens: list[int]) -> list[int]:
        if self.vocab.wants_bos and tokens[:1] != [self.vocab.bos]:
            tokens.insert(0, self.vocab.bos)
        return tokens

    def _said(self, message: Message) -> list[int]:
        if message["role"] == "assistant":
            return self.reply_tokens(message["content"])
        return self.vocab.tokenise(message["content"], with_marks=False)


def _load(lib: Any, path: Path, config: SeatConfig) -> Any:
    if not path.is_file():
        raise EnvironmentFault(
            "model.missing", f"No model file at {path}.", "Check the path, or pull the model."
        )
    params = lib.llama_model_default_params()
    params.use_extra_bufts = config.use_extra_bufts
    params.n_gpu_layers = 0
    if config.mlock:  # where the system does not allow it, llama.cpp goes on without
        params.load_mode = lib.LLAMA_LOAD_MODE_MMAP_MLOCK
    pointer = lib.llama_model_load_from_file(str(path).encode(), params)
    if not pointer:
        raise EnvironmentFault(
            "model.unreadable",
            f"{path} is not a model that llama.cpp can read, or is cut short.",
            "Pull it again.",
        )
    return pointer


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
