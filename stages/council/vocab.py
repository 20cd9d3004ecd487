"""A model's tokens: text in, ids out, and back."""

from __future__ import annotations

import ctypes
from typing import Any

from stages.council.llama_runtime import llama


class Vocab:
    """Tokeniser of one loaded model."""

    def __init__(self, model: Any) -> None:
        """``model`` is llama.cpp's pointer to the loaded model."""
        self._lib = llama()
        self._vocab = self._lib.llama_model_get_vocab(model)
        self.size: int = self._lib.llama_vocab_n_tokens(self._vocab)
        self.bos: int = self._lib.llama_vocab_bos(self._vocab)
        self.eos: int = self._lib.llama_vocab_eos(self._vocab)
        self.wants_bos: bool = self._lib.llama_vocab_get_add_bos(self._vocab)

    def tokenise(self, text: str, *, with_marks: bool) -> list[int]:
        """Token ids of ``text``. Only ``with_marks`` reads marks such as ``<|im_end|>`` as the tokens they name."""
        raw = text.encode()
        ids = (
            self._lib.llama_token * (len(raw) + 8)
        )()  # never more tokens than bytes, but for a space in front
        count = self._lib.llama_tokenize(self._vocab, raw, len(raw), ids, len(ids), False, with_marks)
        return list(ids[:count])

    def piece(self, token: int, *, with_marks: bool = False) -> bytes:
        """Bytes that ``token`` stands for; a mark stands for none unless ``with_marks``."""
        room = ctypes.create_string_buffer(64)
        length = self._lib.llama_token_to_piece(self._vocab, token, room, len(room), 0, with_marks)
        if length < 0:
            room = ctypes.create_string_buffer(-length)
            length = self._lib.llama_token_to_piece(self._vocab, token, room, len(room), 0, with_marks)
        return room.raw[:length]

    def ends(self, token: int) -> bool:
        """True for a token with which the model ends its reply."""
        return bool(self._lib.llama_vocab_is_eog(self._vocab, token))
