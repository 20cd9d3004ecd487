"""The conversation as the language model is shown it.

In a replay of a two-party call the agent's lines are what the recorded agent said, so that each turn is answered in
its true context; otherwise they are our own, as far as the caller heard them.
"""

from __future__ import annotations

from dataclasses import dataclass

from stages.contract import Message


@dataclass(frozen=True, slots=True)
class RecordedLine:
    """A line of the recorded agent and where in the stream it ended, in milliseconds."""

    end_ms: float
    text: str


@dataclass(slots=True)
class _Line:
    at_ms: float
    turn: int | None
    message: Message


class Dialogue:
    """Lines in the order in which they were said."""

    def __init__(self, system: str, recorded: list[RecordedLine] | None = None) -> None:
        self._system: Message = {"role": "system", "content": system}
        self._lines: list[_Line] = []
        self._recorded = recorded
        for line in recorded or []:
            self._lines.append(_Line(line.end_ms, None, {"role": "assistant", "content": line.text}))

    def caller(self, turn: int, at_ms: float, text: str) -> None:
        """Enter what the caller said; a reopened turn replaces its earlier, shorter text."""
        self._lines = [line for line in self._lines if line.turn != turn or line.message["role"] != "user"]
        self._lines.append(_Line(at_ms, turn, {"role": "user", "content": text}))
        self._lines.sort(key=lambda line: line.at_ms)

    def agent(self, turn: int, at_ms: float, text: str) -> None:
        """Enter what the caller heard of our reply; ignored where the recorded agent's lines stand."""
        if self._recorded is not None or not text:
            return
        self._lines = [
            line for line in self._lines if line.turn != turn or line.message["role"] != "assistant"
        ]
        self._lines.append(_Line(at_ms, turn, {"role": "assistant", "content": text}))

    def forget_reply(self, turn: int) -> None:
        """Take back our reply to ``turn``: the caller went on, the turn is reopened."""
        self._lines = [
            line for line in self._lines if line.turn != turn or line.message["role"] != "assistant"
        ]

    def last_said(self, until_ms: float) -> str:
        """What the agent said last, up to ``until_ms``; empty where it has not spoken."""
        said = [m["content"] for m in self.messages(until_ms) if m["role"] == "assistant"]
        return said[-1] if said else ""

    def messages(self, until_ms: float) -> list[Message]:
        """System prompt and all lines up to ``until_ms``; neighbours of one role are joined."""
        joined: list[Message] = [self._system]
        for line in self._lines:
            if line.at_ms > until_ms:
                continue
            last = joined[-1]
            if last["role"] == line.message["role"]:
                joined[-1] = {"role": last["role"], "content": f"{last['content']} {line.message['content']}"}
            else:
                joined.append(line.message)
        return joined
