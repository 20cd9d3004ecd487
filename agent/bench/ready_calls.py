"""What would be said from memory in past calls, beside what their agents said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agent.prepare.lines import Talk
from agent.prepare.mining import same_reply
from agent.prepare.ready import ReadyReplies, ReadyReply
from stages.contract import Message
from stages.council.social import takes_leave


@dataclass(frozen=True, slots=True)
class Said:
    """One caller's line with the reply from memory, if any, and the recorded agent's ("" at the end of the call).

    ``fits``: both are the same reply, or both ask for more, or both take leave. None where this cannot be told by
    the words: a fact of another bank is no reference.
    """

    talk: str
    caller: str
    agent: str
    reply: ReadyReply | None
    fits: bool | None


def said_in(talks: Sequence[Talk], ready: ReadyReplies) -> list[Said]:
    """Every caller's line that was answered, or that ended its call."""
    made = []
    for talk in talks:
        history: list[Message] = []
        for at, line in enumerate(talk.lines):
            if line.role == "caller":
                agent = talk.lines[at + 1].text if at + 1 < len(talk.lines) else ""
                reply = ready.find(line.text, history)
                made.append(Said(talk.name, line.text, agent, reply, _fits(reply, agent)))
            role = "user" if line.role == "caller" else "assistant"
            history.append({"role": role, "content": line.text})  # type: ignore[typeddict-item]
    return made


def _fits(reply: ReadyReply | None, agent: str) -> bool | None:
    if reply is None or reply.source == "fact":
        return None
    if not agent:
        return takes_leave(reply.text)
    return same_reply(reply.text, agent)
