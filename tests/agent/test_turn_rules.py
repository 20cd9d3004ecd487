"""From the settings of turn taking to the silence that is demanded."""

from __future__ import annotations

from agent.config.endpoint import EndpointConfig
from agent.turn import Known
from agent.turn_rules import rules_of


def known(text: str, sound: float) -> Known:
    return Known(audio=(sound, sound), text=text, text_end=0.0, said="", pauses_ms=(), turn_ms=3000.0)


def test_words_that_want_more_may_take_longer_than_others() -> None:
    rules = rules_of(EndpointConfig(cut_ins=0.01))
    assert rules.hold_ms(known("i moved last month and um", 0.01)) == 3000.0
    assert rules.hold_ms(known("i wanted to give you a call", 0.01)) == 1800.0


def test_a_longer_time_out_holds_for_all_words() -> None:
    rules = rules_of(EndpointConfig(cut_ins=0.01, timeout_ms=4000.0))
    assert rules.hold_ms(known("and um", 0.01)) == 4000.0


def test_a_sure_end_waits_less_than_an_unsure_one() -> None:
    rules = rules_of(EndpointConfig())
    assert rules.hold_ms(known("no that's all thank you", 0.99)) < rules.hold_ms(known("and my", 0.05))
