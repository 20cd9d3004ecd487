"""Language-model seats on llama.cpp: short answers, streamed, with the conversation kept in the cache.

from stages.council.seat import LlamaSeat
seat = LlamaSeat("models/qwen.gguf")
for piece in seat.reply([{"role": "user", "content": "Say hello."}], max_tokens=20):
    print(piece.text, end="")
seat.close()
"""
