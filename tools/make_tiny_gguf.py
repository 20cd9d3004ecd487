"""A tiny language model for tests: two layers of a llama with fixed random weights, and a vocabulary of characters.

    python -m tools.make_tiny_gguf TINY.gguf

It says nothing sensible, but always the same: 0.2 MB in 32 bits, so that the order of sums does not change a choice.
"""

from __future__ import annotations

import argparse
import string
from pathlib import Path

import gguf
import numpy as np

WIDTH, HEADS, LAYERS, INNER, CONTEXT = 32, 2, 2, 64, 4096
SPREAD = 0.6
"""Standard deviation of the weights: large enough for logits that differ clearly."""
MARKS = ("<|im_start|>", "<|im_end|>")
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def vocabulary() -> tuple[list[str], list[int]]:
    """Tokens and their types: three of SentencePiece, every byte, printable characters, two marks."""
    kinds = gguf.TokenType
    tokens = [("<unk>", kinds.UNKNOWN), ("<s>", kinds.CONTROL), ("</s>", kinds.CONTROL)]
    tokens += [(f"<0x{byte:02X}>", kinds.BYTE) for byte in range(256)]
    characters = string.ascii_letters + string.digits + string.punctuation
    tokens += [(character, kinds.NORMAL) for character in ("\u2581", *characters)]
    tokens += [(mark, kinds.CONTROL) for mark in MARKS]
    return [text for text, _ in tokens], [int(kind) for _, kind in tokens]


def write(path: Path, seed: int = 7) -> None:
    """Write the model to ``path``; the same bytes for the same ``seed``."""
    texts, kinds = vocabulary()
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(len(texts))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(texts)
    writer.add_token_scores([0.0] * len(texts))
    writer.add_token_types(kinds)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(len(texts) - 1)
    writer.add_add_bos_token(False)
    writer.add_add_space_prefix(False)
    writer.add_chat_template(TEMPLATE)
    _tensors(writer, len(texts), np.random.default_rng(seed))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _tensors(writer: gguf.GGUFWriter, size: int, rng: np.random.Generator) -> None:
    def add(name: str, *shape: int) -> None:
        writer.add_tensor(name, rng.normal(0.0, SPREAD, shape).astype(np.float32))

    add("token_embd.weight", size, WIDTH)
    add("output.weight", size, WIDTH)
    writer.add_tensor("output_norm.weight", np.ones(WIDTH, np.float32))
    for layer in range(LAYERS):
        for norm in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"blk.{layer}.{norm}.weight", np.ones(WIDTH, np.float32))
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            add(f"blk.{layer}.{part}.weight", WIDTH, WIDTH)
        add(f"blk.{layer}.ffn_gate.weight", INNER, WIDTH)
        add(f"blk.{layer}.ffn_up.weight", INNER, WIDTH)
        add(f"blk.{layer}.ffn_down.weight", WIDTH, INNER)


def main() -> None:
    """Write the file that the command line names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("path", type=Path)
    write(parser.parse_args().path)


if __name__ == "__main__":
    main()
