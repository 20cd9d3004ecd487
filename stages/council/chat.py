"""A conversation as the model was trained to see it: the chat template of the model file, filled in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NoReturn

from stages.contract import Message
from stages.errors import EnvironmentFault, InputError

_OPEN, _CLOSE = "\ue000", "\ue001"
_PLACE = re.compile(f"{_OPEN}(\\d+){_CLOSE}")


class ChatTemplate:
    """Jinja template out of a GGUF file, run in Jinja's sandbox: a model file is data, not to be trusted as code."""

    def __init__(self, source: str, *, bos: str, eos: str) -> None:
        """``bos`` and ``eos`` are the texts of the model's first and last marks. Raises EnvironmentFault."""
        from jinja2 import TemplateError
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        environment = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
        )
        self._fault = TemplateError
        self._names: dict[str, Any] = {"bos_token": bos, "eos_token": eos, "raise_exception": _refuse}
        try:
            self._template = environment.from_string(source)
        except TemplateError as fault:
            raise EnvironmentFault(
                "model.template", f"The model's chat template cannot be read: {fault}."
            ) from fault

    def parts(self, messages: Sequence[Message]) -> list[str | int]:
        """The prompt, ready for a reply: template text, and in between the index of the message said there.

        The caller's words never go through the template: "<|im_end|>" in them stays what it is, text.
        Raises InputError when the template refuses the order of roles.
        """
        stand_ins = [{"role": m["role"], "content": f"{_OPEN}{i}{_CLOSE}"} for i, m in enumerate(messages)]
        try:
            text = self._template.render(messages=stand_ins, add_generation_prompt=True, **self._names)
        except self._fault as fault:
            raise InputError(
                "seat.messages", f"The model's chat template refuses these messages: {fault}."
            ) from fault
        split = _PLACE.split(text)
        return [int(part) if at % 2 else part for at, part in enumerate(split) if part]


def _refuse(message: str) -> NoReturn:
    from jinja2 import TemplateError

    raise TemplateError(message)
