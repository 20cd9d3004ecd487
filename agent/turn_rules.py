"""From the settings of turn taking to its rules."""

from __future__ import annotations

from agent.config.endpoint import EndpointConfig
from agent.turn import Known, Rules
from stages.endpoint.evidence import Evidence
from stages.endpoint.fused import load_weights
from stages.endpoint.words import wants_more, word_signs


def rules_of(ends: EndpointConfig) -> Rules:
    """The rules that ``ends`` asks for. Raises EnvironmentFault when the fused model's weights are unreadable."""
    if ends.decide == "sound":

        def hold_ms(known: Known) -> float:
            return ends.sound_hold_ms(known.audio[-1] if known.audio else None)

    else:
        weights = load_weights()

        def hold_ms(known: Known) -> float:
            evidence = Evidence(
                known.audio, known.text, known.text_end, known.said, known.pauses_ms, known.turn_ms
            )
            longest = ends.timeout_ms
            if known.text and wants_more(word_signs(known.text)):
                longest = max(longest, ends.unfinished_timeout_ms)
            return min(longest, max(ends.least_ms, weights.needed_ms(evidence, ends.cut_ins)))

    return Rules(
        hold_ms=hold_ms,
        open_ms=ends.open_ms,
        resume_ms=ends.resume_ms,
        barge_in_ms=ends.barge_in_ms,
        reopen_within_ms=ends.reopen_within_ms,
        decide_after_ms=ends.decide_after_ms,
        repeat_ms=ends.repeat_ms,
        no_words_ms=ends.no_words_ms,
        text_limit_ms=ends.text_limit_ms,
        ask_again_voiced_ms=ends.ask_again_voiced_ms,
    )
