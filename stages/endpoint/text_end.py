"""Is the caller done, by the words: a small chat model's probability that the message ends here.

Method: the probability of the end-of-message mark after the caller's words, given the agent's last words, from a
language model that was never trained for it (measured for this project on SmolLM2-135M-Instruct).
"""

from __future__ import annotations

from pathlib import Path

from stages.contract import Abort, Message, never
from stages.council.config import SeatConfig
from stages.council.seat import LlamaSeat
from stages.endpoint.words import plain

_SETTING: Message = {"role": "system", "content": "A phone call."}


class TextEnd:
    """A seat of its own for one question. Not thread safe: its owner serialises the calls.

    Only the words that are new since the last call are read.
    """

    def __init__(self, path: Path | str, config: SeatConfig | None = None) -> None:
        """Load a GGUF file. Raises EnvironmentFault when it is missing, unreadable or without a chat template."""
        self._seat = LlamaSeat(path, config)

    def end_probability(self, said: str, text: str, *, abort: Abort = never) -> float:
        """Probability in [0, 1] that a message of ``text`` ends there, after the agent said ``said``.

        Both are put in lower case and stripped of punctuation: what the recogniser guessed of it misleads the model.
        Raises Aborted; InputError when the words can never fit the context.
        """
        messages: list[Message] = [_SETTING]
        if said.strip():
            messages.append({"role": "assistant", "content": plain(said)})
        messages.append({"role": "user", "content": plain(text)})
        return self._seat.end_probability(messages, abort=abort)

    def close(self) -> None:
        """Give the memory back."""
        self._seat.close()
