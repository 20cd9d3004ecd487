"""Several drafts, distilled into one better answer: the prompt for it. Pure.

Wang et al., "Mixture-of-Agents Enhances Large Language Model Capabilities" (2024).
"""

from __future__ import annotations

from collections.abc import Sequence

from stages.contract import Message
from stages.council.deciding.candidate import Candidate


def refine_prompt(messages: Sequence[Message], drafts: Sequence[Candidate]) -> list[Message]:
    """``messages`` with the drafts added to the last one, which stays the caller's.

    The beginning is untouched, so that the cache holds. Drafts that failed or say nothing, and doubles, are left out.
    Without any draft the messages come back as they are. Raises ValueError without a message.
    """
    if not messages:
        raise ValueError("there is no message to answer")
    texts = dict.fromkeys(draft.text.strip() for draft in drafts if draft.text.strip() and not draft.fault)
    if not texts:
        return list(messages)
    last = messages[-1]
    said = "\n".join(f"Draft: {text}" for text in texts)
    content = f"{last['content']}\n{said}\nSome drafts are wrong. Give the one right answer, in one sentence."
    return [*messages[:-1], {"role": last["role"], "content": content}]
